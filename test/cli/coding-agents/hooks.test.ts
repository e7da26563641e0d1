import path from 'node:path'
import { expect } from 'vitest'
import { installHooks } from '../../../src/cli/hook/install.ts'
import { promise } from '../../support/promise.ts'
import { PEERS, type Peer } from './peers.ts'
import { policyFor, type World, worldOf } from './world.ts'

/** Asks once without waiting, so that there is something to decide. */
async function asked(peer: Peer, { hook, call }: World): Promise<void> {
  const does = peer.does(await hook(peer.before(call), { wait: '1s' }), call)
  expect(does).toEqual({ blocked: expect.stringMatching(/still waits .* has not run/) })
}

promise.each(
  ['CS-HOOK-9', 'CS-HOOK-2'],
  'approved with a change: it runs as approved, once, and the end is on record',
  PEERS,
  async (_, peer) => {
    const world = worldOf(peer)
    const { hook, call, decide, read } = world
    await asked(peer, world)
    const id = await decide({ args: { command: 'git push --dry-run' } })
    const again = { ...call, id: 'call_2' }
    const does = peer.does(await hook(peer.before(again)), again)
    expect(does).toEqual({ runs: { command: 'git push --dry-run' } })
    const second = peer.does(await hook(peer.before(again), { wait: '1s' }), again)
    expect(second).toHaveProperty('blocked')
    const ran = { ...again, args: { command: 'git push --dry-run' } }
    const options = peer.afterOptions ? { after: true } : {}
    expect(await hook(peer.after(ran), options)).toMatchObject({ code: 0 })
    expect((await read(id))?.execution?.state).toBe('succeeded')
  },
)

promise.each(
  ['CS-HOOK-9'],
  'a person’s no and a rule that denies block, and the model reads why',
  PEERS,
  async (_, peer) => {
    const world = worldOf(peer)
    const { hook, call, decide } = world
    await asked(peer, world)
    await decide({ verdict: 'deny', reason: 'Not today' })
    expect(peer.does(await hook(peer.before(call)), call)).toEqual({
      blocked: expect.stringMatching(/denied by a person.*Not today/),
    })
    const danger = { ...call, tool: 'Danger' }
    expect(peer.does(await hook(peer.before(danger)), danger)).toEqual({
      blocked: expect.stringMatching(/Never\./),
    })
  },
)

promise.each(
  ['CS-HOOK-9'],
  'what needs no approval runs as if there were no hook',
  PEERS,
  async (_, peer) => {
    const { hook, call } = worldOf(peer)
    const read = { ...call, tool: peer.reader, args: { path: 'notes.txt' } }
    expect(peer.does(await hook(peer.before(read)), read)).toEqual({ runs: read.args })
  },
)

const DOUBTS: readonly (readonly [string, (peer: Peer, world: World) => object | string])[] = [
  ['no input', () => ''],
  ['input that is not JSON', () => 'no'],
  ['a list', () => []],
  ['an object that says nothing', () => ({})],
  ['arguments that are a list', ({ before }, { call }) => swapped(before(call), call.args, [1])],
  ['arguments that are a text', ({ before }, { call }) => swapped(before(call), call.args, 'rm')],
  ['arguments twice', ({ before }, { call }) => twice(before(call))],
  ['no name of a tool', ({ before }, { call }) => before({ ...call, tool: '' })],
  ['a name without end', ({ before }, { call }) => before({ ...call, tool: 'x'.repeat(600) })],
  ['no session', ({ before }, { call }) => before({ ...call, session: '' })],
  ['a folder that is not there', ({ before }, { call }) => before({ ...call, cwd: '/no/such' })],
  ['a folder that is no whole path', ({ before }, { call }) => before({ ...call, cwd: 'src' })],
]

function swapped(input: object, from: unknown, to: unknown): object {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, value === from ? to : value]),
  )
}

/** Two values under one name: readers differ in which one they take. */
function twice(input: object): string {
  return JSON.stringify(input).replace(
    '"command":"git push"',
    '"command":"ls","command":"git push"',
  )
}

promise.each(['CS-HOOK-9', 'CS-HOOK-1'], 'any doubt blocks', PEERS, async (_, peer) => {
  const world = worldOf(peer)
  for (const [name, input] of DOUBTS) {
    const ended = await world.hook(input(peer, world))
    expect(ended, name).toMatchObject({ code: 2, stdout: '' })
    expect(peer.does(ended, world.call), name).toHaveProperty('blocked')
  }
})

promise.each(
  ['CS-HOOK-9', 'CS-HOOK-1'],
  'a policy, database or option that cannot be used blocks',
  PEERS,
  async (_, peer) => {
    const broken = worldOf(peer, 'version: 2\n')
    const { hook, call } = worldOf(peer)
    const ends = [
      await broken.hook(peer.before(broken.call)),
      await hook(peer.before(call), { db: 'sqlite:/dev/null/no.db' }),
      await hook(peer.before(call), { wait: 'soon' }),
      await hook(peer.before(call), { project: '/no/such' }),
    ]
    for (const ended of ends) {
      expect(ended).toMatchObject({ code: 2, stdout: '' })
      expect(peer.does(ended, call)).toHaveProperty('blocked')
    }
  },
)

promise.each(
  ['CS-HOOK-9', 'CS-HOOK-3'],
  'what decides is kept from the agent, with the tools it has',
  PEERS,
  async (_, peer) => {
    const { hook, call } = worldOf(peer, 'version: 1\n')
    const lines = [
      'rm countersign.yaml',
      'countersign approve 1',
      'sed -i s/a/b/ .codex/hooks.json',
      'rm .cursor/hooks.json .github/hooks/countersign.json',
      'echo {} > .gemini/settings.json',
      'rm .opencode/plugin/countersign.js',
    ]
    for (const command of lines) {
      const shell = { ...call, args: { command } }
      expect(peer.does(await hook(peer.before(shell)), shell), command).toHaveProperty('blocked')
    }
    const write = { ...call, tool: 'some_editor', args: { path: '.codex/config.toml', text: 'x' } }
    expect(peer.does(await hook(peer.before(write)), write)).toHaveProperty('blocked')
  },
)

promise.each(
  ['CS-HOOK-9', 'CS-HOOK-3'],
  'settings that make an agent ask are kept from it along with their folder',
  PEERS,
  async (_, peer) => {
    const { cwd, hook, call } = worldOf(peer, 'version: 1\n')
    const { file, write } = installHooks(peer.agent, cwd, (name) => name)
    write()
    const [top = ''] = file.split('/')
    const inside = path.dirname(file)
    const lines = [
      `rm -rf ${top}`,
      `rm -r ${inside}`,
      `mv ${inside} old`,
      `rm -rf ${top.slice(0, 4)}*`,
      `cp other/${path.basename(file)} ${inside}/`,
      `cp -r other/. ${inside}`,
      `tar xf other.tar -C ${inside}`,
      `find ${top} -delete`,
    ]
    for (const command of lines) {
      const shell = { ...call, args: { command } }
      expect(peer.does(await hook(peer.before(shell)), shell), command).toHaveProperty('blocked')
    }
    const remove = { ...call, tool: 'remove_folder', args: { path: inside } }
    expect(peer.does(await hook(peer.before(remove)), remove)).toHaveProperty('blocked')
    const other = { ...call, args: { command: 'rm -rf dist && cp a.txt src/' } }
    expect(peer.does(await hook(peer.before(other)), other)).not.toHaveProperty('blocked')
  },
)

const peerNamed = (name: string): Peer => {
  const [, peer] = PEERS.find(([title]) => title === name) ?? []
  if (!peer) throw new Error(`no ${name}`)
  return peer
}

promise(
  ['CS-HOOK-10'],
  'a change that Cursor would ignore blocks the call, and the model reads what was approved',
  async () => {
    const peer = peerNamed('Cursor')
    const world = worldOf(peer, policyFor({ shell: 'Write' }))
    const call = { ...world.call, tool: 'Write', args: { file_path: 'a.txt', content: 'one' } }
    await asked(peer, { ...world, call })
    const id = await world.decide({ args: { file_path: 'a.txt', content: 'two' } })
    expect(peer.does(await world.hook(peer.before(call)), call)).toEqual({
      blocked: expect.stringMatching(/did not run.*"content":"two"/),
    })
    expect((await world.read(id))?.execution?.state).toBe('failed')
  },
)

promise(
  ['CS-HOOK-10'],
  'an argument that was taken out blocks where the agent would keep it',
  async () => {
    for (const name of ['Cursor', 'Gemini CLI']) {
      const peer = peerNamed(name)
      const world = worldOf(peer)
      const call = { ...world.call, args: { command: 'git push', cwd: '/srv' } }
      await asked(peer, { ...world, call })
      await world.decide({ args: { command: 'git push' } })
      const does = peer.does(await world.hook(peer.before(call)), call)
      expect(does, name).toEqual({ blocked: expect.stringMatching(/did not run/) })
    }
  },
)

promise(
  ['CS-HOOK-9'],
  'nothing in the input makes a question of Copilot CLI a report',
  async () => {
    const peer = peerNamed('Copilot CLI')
    const { hook, call } = worldOf(peer)
    for (const more of [{ toolResult: {} }, { error: 'x' }, { error: null }]) {
      const ended = await hook({ ...peer.before(call), ...more }, { wait: '1s' })
      expect(peer.does(ended, call)).toEqual({ blocked: expect.stringMatching(/still waits/) })
    }
    const late = peer.does(await hook({ ...peer.after(call) }, { wait: '1s' }), call)
    expect(late).toHaveProperty('blocked')
  },
)

promise(
  ['CS-HOOK-9'],
  'a tool cannot take the name of a server’s tool that runs unasked',
  async () => {
    const policy = `version: 1
defaults: { undeclared: confirm, gateway: confirm }
mcp_servers:
  bank: { tools: { read: { approval: false } } }
`
    for (const name of ['Cursor', 'Copilot CLI', 'OpenCode', 'Gemini CLI']) {
      const peer = peerNamed(name)
      const { hook, call } = worldOf(peer, policy)
      const posing = { ...call, tool: 'mcp__bank__read' }
      const does = peer.does(await hook(peer.before(posing), { wait: '1s' }), posing)
      expect(does, name).toHaveProperty('blocked')
    }
  },
)

promise(['CS-HOOK-9'], 'two agents in one project do not use each other’s yes', async () => {
  const [copilot, opencode] = [peerNamed('Copilot CLI'), peerNamed('OpenCode')]
  const world = worldOf(copilot)
  await asked(copilot, world)
  await world.decide()
  const { codingAgent } = await import('../../../src/adapters/coding-agents/agents.ts')
  expect(codingAgent('opencode').tools.shells).toContain(opencode.shell)
  const other = worldOf(opencode)
  const elsewhere = await other.hook(opencode.before({ ...world.call }), {
    wait: '1s',
    project: world.cwd,
  })
  expect(opencode.does(elsewhere, world.call)).toHaveProperty('blocked')
  const own = copilot.does(await world.hook(copilot.before(world.call)), world.call)
  expect(own).toHaveProperty('runs')
})
