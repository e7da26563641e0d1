import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { OWN_TOOLS } from '../../src/gateway/builtin-tools.ts'
import { spawnable } from '../../src/gateway/upstream/child-command.ts'
import { withoutComments } from '../support/imports.ts'

const root = path.resolve(import.meta.dirname, '../..')

const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
  .map((name) => name.replaceAll(path.sep, '/'))
  .map((name) => ({
    name,
    code: withoutComments(readFileSync(path.join(root, 'src', name), 'utf8')),
  }))

function holding(pattern: RegExp): string[] {
  return sources.filter(({ code }) => pattern.test(code)).map(({ name }) => name)
}

test('B7-08: outside of Windows nothing is handed to a shell, and four files start processes', () => {
  // The sandbox of the studio starts our own file on our own Node, and nothing that a person names.
  expect(holding(/node:child_process/).toSorted()).toEqual([
    // The text of a plugin that OpenCode runs; nothing here starts what it names.
    'adapters/coding-agents/opencode-plugin.ts',
    'cli/commands/acp.ts',
    'gateway/upstream/child-transport.ts',
    'store/audit/sign-command.ts',
    'studio/sandbox/run-tool.ts',
  ])
  const sandbox = sources.find(({ name }) => name === 'studio/sandbox/run-tool.ts')
  expect(sandbox?.code).toMatch(/\bspawn\(\s*process\.execPath,\s*\[\s*'--permission'/)
  expect(sandbox?.code.match(/\bspawn\(/g)).toHaveLength(1)
  expect(sandbox?.code).not.toMatch(/\bshell\s*:|\bexec(?:File)?(?:Sync)?\(/)
  const plugin = sources.find(({ name }) => name === 'adapters/coding-agents/opencode-plugin.ts')
  expect(plugin?.code.match(/\bspawn\(/g)).toHaveLength(1)
  expect(plugin?.code.indexOf('return `')).toBeLessThan(plugin?.code.indexOf('spawn') ?? -1)
  // A pattern may `.exec(…)`.
  expect(plugin?.code).not.toMatch(/\bshell\s*:|(?<!\.)\bexec(?:File)?(?:Sync)?\(/)
  // The agent's command, as the person who started us wrote it.
  const agent = sources.find(({ name }) => name === 'cli/commands/acp.ts')
  expect(agent?.code).toMatch(/\bspawn\(start\.command, \[\.\.\.start\.args\]/)
  expect(agent?.code.match(/\bspawn\(/g)).toHaveLength(1)
  expect(agent?.code).not.toMatch(/\bshell\s*:(?! Shell\b)|\bexec(?:File)?(?:Sync)?\(/)
  // The operator's program that signs, from the environment of the server; it gets no arguments.
  const signer = sources.find(({ name }) => name === 'store/audit/sign-command.ts')
  expect(signer?.code).toMatch(/\bspawn\(program, \[\], \{/)
  expect(signer?.code.match(/\bspawn\(/g)).toHaveLength(1)
  expect(signer?.code).not.toMatch(/\bshell\s*:|\bexec(?:File)?(?:Sync)?\(/)
  const starter = sources.find(({ name }) => name === 'gateway/upstream/child-transport.ts')
  expect(starter?.code).toMatch(/\bspawn\(start\.command, \[\.\.\.start\.args\]/)
  expect(starter?.code).not.toMatch(/\bshell\s*:|\bexec(?:File)?(?:Sync)?\(/)
  // On Windows a `.cmd` can be started by cmd.exe alone: src/gateway/upstream/child-command.test.ts quotes for it.
  const args = ['a b', '$(reboot)', '; reboot', '`reboot`']
  for (const platform of ['linux', 'darwin'] as const) {
    const start = spawnable('npx', args, { platform, env: {}, exists: () => true })
    expect(start).toEqual({ command: 'npx', args, isVerbatim: false })
  }
})

test('B4-07: two files say a decision to the store, and one of them is for tests', () => {
  // `Approvals.decide`, and the strategies of countersign/testing, which production refuses.
  const deciders = holding(/type: 'decide',\s+(?:commandId|\.\.\.sent)/).filter(
    (name) => !name.startsWith('testing/'),
  )
  expect(deciders.toSorted()).toEqual(['gate/admin/approvals.ts', 'gate/pipeline/ask.ts'])
})

test('B4-02: no tool that we offer to clients decides', () => {
  const takes = OWN_TOOLS.map(({ name, inputSchema }) => [
    name,
    Object.keys((inputSchema as { properties: object }).properties),
  ])
  expect(takes).toEqual([
    ['countersign_status', ['id']],
    ['countersign_wait', ['id']],
    // Words to the person who asked. They decide nothing, and no field of theirs could say so.
    ['countersign_answer', ['id', 'text']],
  ])
})

interface Locked {
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly resolved?: string
}

test('B12-08: what users install has no install scripts, and every package has its hash', () => {
  const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
  const { packages } = read('package-lock.json') as { packages: Record<string, Locked & Deps> }
  const wanted = new Set<string>()
  const queue = Object.keys(read('package.json').dependencies as object)
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (wanted.has(name)) continue
    wanted.add(name)
    queue.push(...Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}))
  }
  // Half of them come with passkeys: docs/decisions/dependencies.md says why they are dependencies.
  expect(wanted.size).toBeLessThan(56)
  for (const name of wanted) {
    const entry = packages[`node_modules/${name}`]
    expect(entry?.integrity, name).toMatch(/^sha512-/)
    expect(entry?.hasInstallScript ?? false, name).toBe(false)
  }
  expect(Object.keys(read('package.json').scripts as object)).not.toContain('postinstall')
})

interface Deps {
  readonly dependencies?: Readonly<Record<string, string>>
}
