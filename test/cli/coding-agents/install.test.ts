import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import type { HookAgent } from '../../../src/adapters/coding-agents/agent.ts'
import { PLUGIN_FILE } from '../../../src/adapters/coding-agents/opencode-plugin.ts'
import { SETTINGS } from '../../../src/adapters/coding-agents/settings.ts'
import { TIMEOUT_S } from '../../../src/adapters/coding-agents/start.ts'
import { codingAgentFindings } from '../../../src/cli/doctor/coding-agents.ts'
import { installHooks, starterPolicy } from '../../../src/cli/hook/install.ts'
import { parsePolicy } from '../../../src/policy/load/parse-policy.ts'
import { runTests } from '../../../src/policy/tooling/suite.ts'
import { promise } from '../../support/promise.ts'
import { BIN, cleanEnv, countersign, folder } from '../countersign.ts'
import { PEERS } from './peers.ts'
import { policyFor } from './world.ts'

const same = (file: string) => file

function installed(agent: HookAgent, files: Record<string, string> = {}) {
  const cwd = folder(files)
  const { file, write } = installHooks(agent, cwd, same)
  write()
  return { cwd, file, text: () => readFileSync(path.join(cwd, file), 'utf8') }
}

const byCommand = PEERS.filter(([, { agent }]) => agent !== 'opencode')

/** The command that is run before a call, wherever the agent's settings hold it. */
function commandIn(text: string): string {
  const { hooks } = JSON.parse(text)
  const [last] = (hooks.PreToolUse ?? hooks.BeforeTool ?? hooks.preToolUse).slice(-1)
  const entry = last.hooks?.[0] ?? last
  return entry.command ?? entry.bash
}

/** As the agent's shell reads it: Gemini CLI puts the folder in itself, Cursor adds a here document. */
function lineFor(agent: HookAgent, command: string, cwd: string): string {
  if (agent === 'gemini-cli') return command.replaceAll('$GEMINI_PROJECT_DIR', `'${cwd}'`)
  return agent === 'cursor' ? `${command} <<'CURSOR_HOOK_EOF'\n{}\nCURSOR_HOOK_EOF` : command
}

promise.each(
  ['CS-HOOK-11'],
  'without Node.js or without the package the command blocks',
  byCommand,
  (_, peer) => {
    const gone = 'node_modules/countersign/bin/countersign.js'
    const { cwd, text } = installed(peer.agent, { [gone]: '' })
    const line = lineFor(peer.agent, commandIn(text()), cwd)
    const call = { session: 's', cwd, tool: peer.shell, args: {}, id: 'c' }
    const run = (PATH: string) => {
      const env = { ...cleanEnv(), PATH, CURSOR_PROJECT_DIR: cwd }
      const ran = spawnSync('/bin/sh', ['-c', line], { cwd, encoding: 'utf8', env, input: '{}' })
      return peer.does({ code: ran.status, stdout: ran.stdout, stderr: ran.stderr }, call)
    }
    expect(run('/nonexistent')).toHaveProperty('blocked')
    // A program in place of Node.js that is killed, fails, or says nothing with a failure.
    for (const body of ['kill -9 $$', 'exit 1', 'exit 2', 'exit 137']) {
      const bin = path.join(folder({}), 'bin')
      mkdirSync(bin)
      writeFileSync(path.join(bin, 'node'), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
      expect(run(bin), body).toHaveProperty('blocked')
    }
  },
)

promise.each(
  ['CS-HOOK-11'],
  'the hooks are added once, and everything else stays',
  byCommand,
  (_, { agent }) => {
    const settings = SETTINGS.get(agent)
    if (!settings) throw new Error('no settings')
    const place = { starter: { by: 'npx' } as const, root: '/srv/my app' }
    const other = { command: 'lint', bash: 'lint', hooks: [{ type: 'command', command: 'lint' }] }
    const events = ['PreToolUse', 'BeforeTool', 'preToolUse']
    const before = { mine: 1, hooks: Object.fromEntries(events.map((event) => [event, [other]])) }
    const after = settings.install(before, place)
    expect(settings.install(after, place)).toEqual(after)
    expect(after).toMatchObject({ mine: 1 })
    expect(JSON.stringify(after).match(/--wait/g)).toHaveLength(1)
    for (const event of events) {
      expect((after.hooks as Record<string, unknown[]>)[event]?.[0]).toEqual(other)
    }
    expect(settings.openDoors(after)).toEqual([])
  },
)

promise.each(
  ['CS-HOOK-11'],
  'a hook of the user in one group with ours stays',
  [['claude-code'], ['codex'], ['gemini-cli']] as const,
  (agent) => {
    const { cwd, file, text } = installed(agent)
    const settings = JSON.parse(text())
    const lint = { type: 'command', command: 'lint' }
    for (const groups of Object.values<{ hooks: object[] }[]>(settings.hooks)) {
      groups[0]?.hooks.push(lint)
    }
    writeFileSync(path.join(cwd, file), JSON.stringify(settings))
    installHooks(agent, cwd, same).write()
    const after = JSON.parse(text())
    for (const [event, groups] of Object.entries<{ hooks: object[] }[]>(after.hooks)) {
      const hooks = groups.flatMap((group) => group.hooks)
      expect(hooks, event).toHaveLength(2)
      expect(hooks, event).toContainEqual(lint)
    }
  },
)

promise.each(
  ['CS-HOOK-11'],
  'hooks of the user that are not understood are not touched',
  [['claude-code'], ['codex'], ['gemini-cli'], ['cursor'], ['copilot-cli']] as const,
  (agent) => {
    const { cwd, file, text } = installed(agent)
    const [event = ''] = Object.keys(JSON.parse(text()).hooks)
    const mine = { command: 'lint' }
    for (const hooks of [[mine], 'lint', { [event]: mine }, { [event]: ['lint'] }]) {
      const before = JSON.stringify({ hooks })
      writeFileSync(path.join(cwd, file), before)
      expect(() => installHooks(agent, cwd, same), before).toThrow(/was not touched/)
      expect(text()).toBe(before)
    }
  },
)

const OPENED: readonly (readonly [string, (text: string) => string, RegExp])[] = [
  ['no hook', () => '{"note":"countersign"}', /hook runs `countersign hook/],
  [
    'a time that is too short',
    (text) => text.replace(/("timeout(?:Sec)?": )\d+/, '$15'),
    /timeout is too short/,
  ],
]

promise.each(
  ['CS-HOOK-11'],
  'doctor finds settings that let calls through',
  byCommand,
  (_, { agent }) => {
    const { cwd, file, text } = installed(agent, { 'countersign.yaml': 'version: 1\n' })
    const sound = text()
    expect(codingAgentFindings(cwd)).toMatchObject([{ level: 'ok' }])
    for (const [name, change, says] of OPENED) {
      writeFileSync(path.join(cwd, file), change(sound))
      expect(codingAgentFindings(cwd), name).toMatchObject([
        { level: 'problem', says: expect.stringMatching(says) },
      ])
    }
    writeFileSync(path.join(cwd, file), '{ "countersign": ')
    expect(codingAgentFindings(cwd)).toMatchObject([{ level: 'problem' }])
    expect(() => installHooks(agent, cwd, same)).toThrow(/was not touched/)
  },
)

promise.each(
  ['CS-HOOK-11'],
  'doctor finds a weak spot of one agent',
  [
    ['Cursor, open on failure', 'cursor', '"failClosed": true', '"failClosed": false'],
    ['Copilot CLI, a report in place of a question', 'copilot-cli', '--wait 55m', '--after'],
    ['Codex, not waited for', 'codex', '"timeout": 3600', '"timeout": 3600, "async": true'],
    ['Gemini CLI, failures let run', 'gemini-cli', 'exit 2', 'exit 1'],
  ] as const,
  (_, agent, from, to) => {
    const { cwd, file, text } = installed(agent, { 'countersign.yaml': 'version: 1\n' })
    writeFileSync(path.join(cwd, file), text().replace(from, to))
    expect(codingAgentFindings(cwd)).toMatchObject([{ level: 'problem' }])
  },
)

promise.each(
  ['CS-HOOK-11'],
  'the policy that init writes keeps its own tests',
  PEERS,
  (_, { agent }) => {
    const text = starterPolicy(agent)
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text } })
    const results = runTests(policy, policy.owner.tests)
    expect(results.length).toBeGreaterThan(4)
    expect(results.filter(({ passed }) => !passed)).toEqual([])
  },
)

promise(['CS-HOOK-11'], 'init refuses an agent that it does not know', async () => {
  const cwd = folder({})
  const ran = await countersign(['init', '__proto__'], { cwd })
  expect(ran).toMatchObject({ code: 2 })
  expect(ran.stderr).toContain('claude-code, codex, gemini-cli, cursor, copilot-cli, opencode')
  expect(TIMEOUT_S).toBeGreaterThan(55 * 60)
})

type Before = (input: object, output: { args: Record<string, unknown> }) => Promise<void>

async function pluginIn(cwd: string): Promise<Before> {
  const { Countersign } = await import(pathToFileURL(path.join(cwd, PLUGIN_FILE)).href)
  const hooks = await Countersign({ directory: cwd, worktree: cwd })
  return hooks['tool.execute.before']
}

promise(
  ['CS-HOOK-11'],
  'the plugin for OpenCode throws whenever its hook is not clear',
  async () => {
    const bin = 'node_modules/countersign/bin/countersign.js'
    const about = { tool: 'bash', sessionID: 's', callID: 'c' }
    for (const body of [
      'process.exit(1)',
      'process.kill(process.pid, "SIGKILL")',
      'console.log("no")',
      'console.log("{}")',
      'console.log("null")',
      'console.log(JSON.stringify({ decision: "allow" }))',
      'console.log(JSON.stringify({ decision: "allow", args: [1] }))',
      'console.log(JSON.stringify({ decision: "deny", reason: "Never." }))',
      '',
    ]) {
      const { cwd } = installed('opencode', { [bin]: body, 'package.json': '{"type":"module"}' })
      const before = await pluginIn(cwd)
      const args = { command: 'ls' }
      await expect(before(about, { args }), body).rejects.toThrow(/Countersign|Never/)
      expect(args).toEqual({ command: 'ls' })
    }
    const edit = 'console.log(JSON.stringify({ decision: "allow", args: { command: "pwd" } }))'
    const { cwd } = installed('opencode', { [bin]: edit, 'package.json': '{"type":"module"}' })
    const args = { command: 'ls', workdir: '/' }
    await (await pluginIn(cwd))(about, { args })
    // OpenCode runs the object that it handed over, so a key that was taken out is gone from it.
    expect(args).toEqual({ command: 'pwd' })
  },
)

promise(['CS-HOOK-11', 'CS-HOOK-9'], 'the plugin for OpenCode asks the real hook', async () => {
  const policy = policyFor({ shell: 'bash' })
  const cwd = folder({ 'countersign.yaml': policy, 'package.json': '{"type":"module"}' })
  mkdirSync(path.join(cwd, 'node_modules'))
  symlinkSync(path.resolve(BIN, '../..'), path.join(cwd, 'node_modules/countersign'), 'junction')
  const ran = await countersign(['init', 'opencode'], { cwd })
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(PLUGIN_FILE) })
  const before = await pluginIn(cwd)
  const about = { sessionID: 's', callID: 'c' }
  await before({ ...about, tool: 'read' }, { args: { filePath: 'a' } })
  await expect(before({ ...about, tool: 'Danger' }, { args: {} })).rejects.toThrow(/Never\./)
})
