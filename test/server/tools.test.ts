import { expect } from 'vitest'
import type { ServerList } from '../../src/api/servers.ts'
import { internals } from '../../src/gate/internals.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const POLICY = `version: 1
tools:
  read: { approval: false, risk: L1 }
  wipe: { approval: false, risk: L4 }
  pay: { approval: true }
mcp_servers:
  - { alias: files, command: x }
  - { alias: open, command: y, approval: false }
`

promise(['CS-TOOLS-3'], 'whatever runs without asking is named, the gravest first', async () => {
  const { send, person, agent } = running({ policy: POLICY })
  const as = await person('root@example.com', ['admin'])
  const list = async (of = as) =>
    (await send('/v1/servers', { as: of })).body as unknown as ServerList
  const names = async () =>
    (await list()).ways.map(({ kind, server, tool }) =>
      [kind, server, tool].filter(Boolean).join(' '),
    )
  const before = ['default', 'server open', 'rule wipe']
  expect(await names()).toEqual(before)
  expect((await list()).ways).toContainEqual({
    kind: 'rule',
    tool: 'wipe',
    says: 'runs without asking at risk L4.',
    fix: 'Give it an approval in the policy.',
    at: 'countersign.yaml:4',
  })

  const path = '/v1/servers/files/tools/read/switch'
  await send(path, { as, method: 'PUT', body: { on: false, lowers: true } })
  const bot = await agent('bot')
  const asked = await send('/v1/calls', { as: bot, body: { tool: 'pay', run: 'r', args: {} } })
  const minter = await person('ana@example.com')
  const yes = { verdict: 'approve', digest: asked.at('digest'), grant: { uses: 2 } }
  await send(`/v1/approvals/${asked.at('id')}/decisions`, { as: minter, body: yes })
  expect(await names()).toEqual([
    'default',
    'server open',
    'switch files read',
    'rule wipe',
    'grant pay',
  ])
  const { ways } = await list()
  expect(ways[2]?.says).toBe('runs without asking. root@example.com switched asking off.')
  expect(ways.at(-1)).toMatchObject({
    says: 'runs without asking for bot, by a grant: 2 more times.',
    until: expect.any(Number),
  })
  // Who may look at the page sees them all.
  expect((await list(await person('vera@example.com', ['viewer']))).ways).toHaveLength(5)
})

promise(['CS-TOOLS-3'], 'a policy that is only observed is said before all else', async () => {
  const { send, person } = running({ policy: POLICY, observe: true })
  const { body } = await send('/v1/servers', { as: await person('ana@example.com') })
  expect(body).toMatchObject({ ways: [{ kind: 'observe' }, { kind: 'default' }, {}, {}] })
})

promise(['CS-TOOLS-3'], 'where everything asks there is no way around', async () => {
  const { send, person } = running({
    policy: `version: 1
defaults: { undeclared: confirm }
tools: { read: { approval: false, risk: L1 } }
`,
  })
  const { body } = await send('/v1/servers', { as: await person('ana@example.com') })
  expect(body).toMatchObject({ ways: [] })
})

promise(['CS-TOOLS-4'], 'doors and counts of each tool, whoever reached it and how', async () => {
  const { server, send, person, agent } = running({ policy: POLICY })
  const [as, bot] = [await person('ana@example.com'), await agent('bot')]
  const ask = (call: object) => send('/v1/calls', { as: bot, body: { args: {}, ...call } })
  const decide = async (verdict: string) => {
    const asked = await ask({ tool: 'pay', run: crypto.randomUUID() })
    const body = { verdict, digest: asked.at('digest') }
    await send(`/v1/approvals/${asked.at('id')}/decisions`, { as, body })
  }
  await decide('approve')
  await decide('deny')
  await ask({ tool: 'pay', run: 'waits' })
  const hook = server.gate.with({ door: 'hook', agent: 'coder' })
  await hook.check({ tool: 'pay', args: { other: 1 } })
  hook[internals].tool('pay', { description: 'Pays.' })
  server.gate.with({ door: 'in-process' })[internals].tool('note', { description: 'Notes.' })
  await hook.check({ tool: 'move', server: 'files', args: {} })
  await server.gate[internals].idle()
  const { body } = await send('/v1/servers', { as })
  const { own, servers } = body as unknown as ServerList
  expect(own.find(({ tool }) => tool === 'pay')).toMatchObject({
    doors: ['hook', 'http'],
    lately: { asked: 4, approved: 1, denied: 1 },
    state: 'guarded',
    description: 'Pays.',
    answer: { verdict: 'confirm' },
  })
  expect(own.find(({ tool }) => tool === 'note')).toMatchObject({
    doors: ['in-process'],
    lately: { asked: 0 },
  })
  expect(own.find(({ tool }) => tool === 'wipe')).toMatchObject({ doors: [], state: 'unseen' })
  expect(servers.find(({ alias }) => alias === 'files')?.tools).toMatchObject([
    { tool: 'move', state: 'called', doors: ['hook'], lately: { asked: 1, approved: 0 } },
  ])
  // What every page asks for is without all of this.
  const held = await send('/v1/servers?held=true', { as })
  expect(held.body).toMatchObject({ servers: [], own: [], ways: [] })
})
