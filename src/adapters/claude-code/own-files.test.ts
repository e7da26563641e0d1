// biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of a shell, not templates
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { HookInput } from './hook-input.ts'
import { touchesOwnFiles } from './own-files.ts'

// Not named after us: a path of the folder in a command must not be what is recognised.
const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'own-files-')))
const cwd = path.join(root, 'app')
for (const folder of ['app/.countersign', 'app/.claude', 'app/sub', 'app/rules', 'home/.claude']) {
  mkdirSync(path.join(root, folder), { recursive: true })
}
writeFileSync(path.join(cwd, 'countersign.yaml'), '')
symlinkSync('.countersign', path.join(cwd, 'notes'))
symlinkSync('countersign.yaml', path.join(cwd, 'readme.txt'))
linkSync(path.join(cwd, 'countersign.yaml'), path.join(cwd, 'hard.txt'))
symlinkSync('..', path.join(cwd, 'sub/up'))
symlinkSync(cwd, path.join(root, 'other'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const own = {
  paths: [
    path.join(cwd, '.countersign'),
    path.join(cwd, 'countersign.yaml'),
    path.join(cwd, 'rules/company.yml'),
    path.join(cwd, '.claude/settings.json'),
  ],
  home: path.join(root, 'home'),
}

function touches(
  tool: string,
  args: object,
  more: { readonly server?: string; readonly cwd?: string } = {},
): boolean {
  const input: HookInput = {
    agent: 'claude-code',
    event: 'PreToolUse',
    session: 's',
    cwd,
    tool,
    args: args as HookInput['args'],
    attempt: 'a',
    ...more,
  }
  return touchesOwnFiles(input, own) !== undefined
}

promise.each(
  ['CS-HOOK-3'],
  'B5-24: a file that decides is not written',
  [
    ['the policy', 'countersign.yaml'],
    ['the policy, the long way', './x/../countersign.yaml'],
    ['the policy, the very long way', `${'./'.repeat(4_000)}countersign.yaml`],
    ['the policy, by its whole path', path.join(cwd, 'countersign.yaml')],
    ['the policy with space around it', '  countersign.yaml \n'],
    ['the policy in other case', 'CounterSign.YAML'],
    ['the policy with a long s', 'counter\u017fign.yaml'],
    ['the policy in full-width letters', '\uff43ountersign.yaml'],
    ['the policy with an invisible character', 'counter\u200csign.yaml'],
    ['the policy with a dot at its end', 'countersign.yaml.'],
    ['the policy as a stream', 'countersign.yaml::$DATA'],
    ['the policy by its short name', 'COUNTE~1.YAM'],
    ['the policy before a NUL', 'countersign.yaml\0.txt'],
    ['the policy through a link', 'readme.txt'],
    ['the policy by a hard link', 'hard.txt'],
    ['the policy through a link to its folder', 'sub/up/countersign.yaml'],
    ['the policy through a link to the project', path.join(root, 'other/countersign.yaml')],
    ['the policy as a URL', `file://${cwd}/countersign%2Eyaml`],
    ['a policy where none is yet', 'sub/countersign.yaml'],
    ['a policy of another project', path.join(root, 'else/countersign.yml')],
    ['governance', 'rules/company.yml'],
    ['our state', '.countersign/server.json'],
    ['our state through a link', 'notes/keys/new.json'],
    ['a state folder where none is yet', 'sub/.countersign/approvals.db'],
    ['the package', 'node_modules/countersign/bin/countersign.js'],
    ['the command of the package', 'node_modules/.bin/countersign'],
    ['the settings', '.claude/settings.json'],
    ['the settings of one person', '.claude/settings.local.json'],
    ['the settings at home', '~/.claude/settings.json'],
    ['a path that is too long to resolve', `${'a/'.repeat(40_000)}x`],
  ] as const,
  (_, file_path) => {
    expect(touches('Write', { file_path, content: '' })).toBe(true)
    expect(touches('Edit', { file_path, old_string: 'a', new_string: 'b' })).toBe(true)
    expect(touches('MultiEdit', { file_path, edits: [] })).toBe(true)
    expect(touches('NotebookEdit', { notebook_path: file_path, new_source: '' })).toBe(true)
    expect(touches('write_file', { path: file_path }, { server: 'files' })).toBe(true)
    expect(touches('SomethingNew', { deep: [{ at: file_path }] })).toBe(true)
  },
)

promise.each(
  ['CS-HOOK-3'],
  'an MCP server that writes files is kept away as well',
  [
    [
      'a file that is moved here',
      'move_file',
      { source: 'a.txt', destination: 'countersign.yaml' },
    ],
    ['our state that is moved away', 'move_file', { source: '.countersign', destination: 'x' }],
    ['the project that is moved away', 'move_file', { source: cwd, destination: '/tmp/x' }],
    ['a folder that is deleted', 'delete_directory', { path: '.' }],
    ['a command', 'run', { command: 'rm countersign.yaml' }],
    ['a command in pieces', 'run', { cmd: "rm coun''tersign.yaml" }],
    ['a command as words', 'run', { argv: ['rm', '-rf', '.claude'] }],
    ['commands in a list', 'run', { commands: ['cd .claude', 'rm settings.json'] }],
    ['a path spelled as in a URL', 'write_file', { path: '%63ountersign.yaml' }],
    ['a patch', 'apply_patch', { patch: '*** Begin Patch\n*** Update File: countersign.yaml\n' }],
    ['a diff', 'apply_diff', { diff: '--- a/x\n+++ b/sub/countersign.yaml\n@@\n' }],
    ['a patch with padding', 'p', { patch: 'x\n \t*** Update File: countersign.yaml\n@@\n' }],
    ['a diff with a date', 'p', { diff: '--- x\n+++ b/countersign.yaml\t2026-01-01\n@@\n' }],
    ['a diff with quotes', 'p', { diff: '--- x\n+++ "b/countersign.yaml"\n@@\n' }],
    ['a diff that renames it', 'p', { diff: 'x\nrename from countersign.yaml\nrename to x\n' }],
    ['a diff that copies to it', 'p', { diff: 'x\ncopy from x\ncopy to countersign.yaml\n' }],
    ['a diff of no lines', 'p', { diff: 'diff --git a/countersign.yaml b/countersign.yaml\nx\n' }],
    ['one of several', 'write_files', { files: [{ path: 'a' }, { path: 'countersign.yaml' }] }],
  ] as const,
  (_, tool, args) => {
    expect(touches(tool, args, { server: 'files' })).toBe(true)
  },
)

promise.each(
  ['CS-HOOK-3'],
  'B5-16: a shell line that names what decides is denied',
  [
    'npx countersign approve abc',
    'npx "counter"sign approve abc',
    'sqlite3 .countersign/approvals.db',
    'rm .claude/settings.json',
    'echo "version: 1" > countersign.yaml',
    'echo x >> ./sub/../countersign.yaml',
    'cat > sub/countersign.yaml <<EOF\nversion: 1\nEOF',
    'mv a.txt countersign.yaml',
    'cp a.txt counter"sign".yaml',
    'tee countersign.yaml < a.txt',
    "sed -i 's/true/false/' countersign.yaml",
    'ln -s /tmp/x countersign.yaml',
    'rm -rf .countersign',
    'git checkout HEAD~3 -- countersign.yaml',
    'git rm --cached counter\\sign.yaml',
    'rm counter\\\nsign.yaml',
    "rm $'\\x63ountersign.yaml'",
    "rm $'\\143ountersign.yaml'",
    'c=counter; rm ${c}sign.yaml',
    'export d=sign && c="counter" && tee $c$d.yaml',
    'rm counter${nothing}sign.yaml',
    'rm counter$(true)sign.yaml',
    'rm counter``sign.yaml',
    'rm ${x:-counter}sign.yaml',
    'rm {counter,other}sign.yaml',
    'rm COUNTERSIGN.YAML',
    `python3 -c "open('counter' + 'sign.yaml','w')"`,
    `node -e "fs.rmSync(['counter','sign.yaml'].join(''))"`,
    'cd .claude && echo {} > settings.json',
    'cd sub; cd ..; cd .claude; rm settings.local.json',
    'cd sub && ls; cd ../.claude; rm settings.json',
    'd=.claude; cd $d; rm settings.json',
    '(cd /tmp; ls); rm *.yaml',
    'cd /nowhere; rm *.yaml',
    'pushd .claude && tee settings.json',
    'git -C .claude checkout settings.json',
    'cd ~/.claude && rm settings.json',
    'echo {} > $HOME/.claude/settings.json',
    'echo {} > "$PWD/.claude"/settings.json',
    'rm -rf notes/',
    'echo x > readme.txt',
    'cd sub && echo x > up/readme.txt',
    'dd if=a.txt of=readme.txt',
    'curl -o readme.txt http://127.0.0.1/',
    'curl -oreadme.txt http://127.0.0.1/',
    'tar -C rules -xf a.tar company.yml',
    'echo x > rules/company.yml',
    'rm *.yaml',
    'rm c*sign.y?ml',
    'rm -rf .c*',
    'cd sub && rm ../c[o]unter*',
    'sed -i s/a/b/ *',
    'echo x > c*sign.yaml',
    'chmod 777 .count*',
    'rm -rf .',
    'rm -rf "$PWD"',
    'cd sub && rm -rf ..',
    'rm --recursive ../app',
    'mv ../app ../gone',
    'mv .claude gone',
    'find . -delete',
    "find . -name '*.yaml' -delete",
    'find . -type f -exec rm {} +',
    'git clean -fdx',
    'cd .. && git clean -ffdx app',
    'if true; then rm -rf .; fi',
    'sudo rm -rf .claude',
    '(cd sub && rm -rf ..)',
    'echo x > hard.txt',
    'timeout 5 rm -rf .claude',
    'nice -n 5 rm -rf .claude',
    'cp evil/settings.json .claude',
    'mv settings.json .claude/',
    'cd .claude && cp ../evil/settings.json .',
    'tar xf a.tar --directory=.claude',
    'unzip -o evil.zip -d .claude',
    'ln -s .claude c && echo {} > c/settings.json',
    'echo {} > .claude/set{tings,x}.json',
    'truncate -s0 .claude/*',
  ].map((line): [string] => [line]),
  (command) => {
    expect(touches('Bash', { command })).toBe(true)
  },
)

promise.each(
  ['CS-HOOK-3'],
  'B5-16: other shell lines are left to the policy',
  [
    'git status',
    'ls *.yaml',
    'cat *',
    'grep -r approval .',
    'npm test -- --watch=false',
    'rm -rf node_modules dist',
    'rm -rf sub/*',
    'mv a.txt .',
    'mv sub/a.txt ..',
    'cp -r sub /tmp/x',
    'sed -n 1,20p *.yaml',
    "find . -name '*.pyc' -delete",
    'find . -type f',
    'git checkout -b work',
    'git clean -n',
    'git add *',
    'echo "we encounter signs of trouble" > log.txt',
    'cd sub && rm -rf build && cd ..',
    'cd /tmp && rm *.yaml',
    'cat > config/settings.json <<EOF\n{}\nEOF',
    'cp notes.md .claude/commands/notes.md',
    'tar xf a.tar',
    'for f in a b; do echo $f > $f.txt; done',
    `python3 -c "print('hello' + 'world')"`,
    // What is not recognised: the name is computed, or stands in a file.
    'echo Y291bnRlcnNpZ24ueWFtbA== | base64 -d | xargs rm',
    `python3 -c "import os; os.remove(chr(99) + 'ountersig' + chr(110) + '.yaml')"`,
    'ls | grep ^c | xargs rm',
    'sh script.sh',
  ].map((line): [string] => [line]),
  (command) => {
    expect(touches('Bash', { command })).toBe(false)
  },
)

promise.each(
  ['CS-HOOK-3'],
  'left alone',
  [
    ['other files', 'Write', { file_path: 'src/main.ts', content: 'about countersign.yaml' }],
    ['text about a policy', 'Edit', { file_path: 'a.md', old_string: 'countersign.yaml' }],
    ['reading the policy', 'Read', { file_path: 'countersign.yaml' }],
    ['a page about a policy', 'WebFetch', { url: 'https://example.com/countersign.yaml' }],
    ['a folder with a longer name', 'Write', { file_path: '.countersign-notes/a.txt' }],
    ['a file with a longer name', 'Write', { file_path: 'my-countersign.yaml' }],
    ['other settings', 'Write', { file_path: '.vscode/settings.json' }],
    ['other packages', 'Write', { file_path: 'packages/countersign/a.ts' }],
  ] as const,
  (_, tool, args) => {
    expect(touches(tool, args)).toBe(false)
  },
)

promise(['CS-HOOK-3'], 'left alone: an MCP server that looks at the project', () => {
  const server = 'files'
  expect(touches('list_directory', { path: '.' }, { server })).toBe(false)
  expect(touches('search', { query: 'what is countersign.yaml for' }, { server })).toBe(false)
})

promise(['CS-HOOK-3'], 'the folder of the agent may be a link', () => {
  const there = { cwd: path.join(root, 'other') }
  expect(touches('Write', { file_path: 'rules/company.yml' }, there)).toBe(true)
  expect(touches('Bash', { command: 'echo x > rules/company.yml' }, there)).toBe(true)
  expect(touches('Bash', { command: 'rm *.yaml' }, there)).toBe(true)
})

promise(['CS-HOOK-3'], 'a long line is read in time', () => {
  const since = performance.now()
  for (const command of [`echo '${' '.repeat(90_000)}x`, `cat <<E\n${'text '.repeat(15_000)}\nE`]) {
    expect(touches('Bash', { command })).toBe(false)
  }
  expect(performance.now() - since).toBeLessThan(5_000)
})

// A hook that runs out of time lets the call run, so no text may keep it busy.
promise.each(
  ['CS-HOOK-3'],
  'a text that would take too long to read is denied at once',
  [
    ['spaces behind a quote', `echo '${' '.repeat(110_000)}x`],
    ['unclosed variables', '${'.repeat(60_000)],
    ['unclosed braces', `{${','.repeat(110_000)}`],
    ['braces', '${'.repeat(49_000)],
    ['folders', Array.from({ length: 2_000 }, (_, n) => `cd ${n};cat f${n}`).join(';')],
  ] as const,
  (_, command) => {
    const since = performance.now()
    expect(touches('Bash', { command })).toBe(true)
    expect(performance.now() - since).toBeLessThan(2_000)
  },
)
