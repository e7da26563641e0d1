import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { countersign, folder } from './countersign.ts'

const manifest = path.resolve(import.meta.dirname, '../../package.json')

test('--version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const ran = await countersign(['--version'], { cwd: folder() })
  expect(ran).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('help is at most 100 columns wide where it is piped', async () => {
  for (const args of [['policy'], ['policy', 'rollback'], ['grants', 'mint']]) {
    const { stdout } = await countersign([...args, '--help'], { cwd: folder() })
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  }
})

test('--help shows what exists, an example and the exit codes', async () => {
  const { code, stdout } = await countersign(['--help'], { cwd: folder() })
  expect(code).toBe(0)
  const [, listed = ''] = /^Commands:\n(.*?)\n\n/ms.exec(stdout) ?? []
  const commands = [...listed.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
  const known = 'start open mcp hook list show approve deny grants inbox token init policy audit'
  expect(commands).toEqual(expect.arrayContaining(known.split(' ')))
  expect(stdout).toContain('$ countersign init && countersign start')
  expect(stdout).toContain('Exit codes:')
})

test.each([
  ['start'],
  ['open'],
  ['list'],
  ['show'],
  ['approve'],
  ['deny'],
  ['notices'],
  ['token create'],
  ['init'],
  ['policy check'],
  ['policy explain'],
  ['policy test'],
  ['policy replay'],
  ['policy schema'],
])('%s --help has an example and offers --json', async (command) => {
  const { code, stdout } = await countersign([...command.split(' '), '--help'], { cwd: folder() })
  expect(code).toBe(0)
  expect(stdout).toContain(`$ countersign ${command}`)
  expect(stdout).toContain('--json')
})

test.each([
  [['strat'], "usage: unknown command 'strat' (Did you mean start?)"],
  [['policy', 'chek'], "usage: unknown command 'chek' (Did you mean check?)"],
  [['policy', 'check', '--srtict'], "usage: unknown option '--srtict' (Did you mean --strict?)"],
  [['init', 'here'], 'usage: there is nothing to write for here'],
  [['init', 'claude-code', 'now'], "usage: too many arguments for 'init'"],
  [[], 'usage: a command is missing'],
  [['policy'], 'usage: a command is missing'],
  [['bogus'], "usage: unknown command 'bogus'\n`countersign --help` lists the commands."],
  [['outbox'], "usage: unknown command 'outbox'"],
  [['open', '--role', 'viewer'], 'usage: --role goes with --as'],
  [['policy', 'switch', 'files'], 'usage: say how to switch files'],
  [['hook', 'claude-code'], 'usage: stdin is empty; Claude Code runs this command'],
])('%j is refused on stderr, with what to do next', async (args, message) => {
  const { code, stdout, stderr } = await countersign(args, { cwd: folder() })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.startsWith(message)).toBe(true)
  expect(stderr.split('\n').length).toBeGreaterThan(2)
  expect(stderr).not.toMatch(/\n\s+at /)
})
