import { expect } from 'vitest'
import type { PublishAnswer, StudioTool, WireToolSpec } from '../../src/api/studio/studio.ts'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { toolStudio } from '../../src/app/studio.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { createStudio } from '../../src/studio/studio.ts'
import { chatWorld, textOf } from '../chat/chat-world.ts'
import { promise } from '../support/promise.ts'
import { SPEC, witness } from './world.ts'

const OTTO = { issuer: 'local', subject: 'otto@example.com' }

/** The chat and the studio of one server, and a bank that the tool `pay` tells of each payment. */
async function both(policy = 'version: 1\n') {
  const bank = await witness()
  const store = memoryStore()
  const keys = memoryKeys()
  const world = chatWorld(policy, {
    store,
    keys,
    mcp: mcpGateway({ env: {} }),
    studio: toolStudio({ allowHosts: [bank.host] }),
  })
  const author = await world.signIn('otto@example.com', ['author'])
  const pay: WireToolSpec = {
    ...SPEC,
    language: 'javascript',
    source: `export default async ({ a }, { fetch, isTest }) => {
      if (!isTest) await fetch('http://${bank.host}/pay?amount=' + a, { method: 'POST' })
      return { paid: a }
    }`,
    capabilities: { ...SPEC.capabilities, net: [bank.host], write: true },
    hitl: { mode: 'REQUIRED' },
    test: { args: { a: 1, b: 0 } },
  }
  const saved = (await (
    await author.put('/v1/studio/tools/pay', { spec: pay })
  ).json()) as StudioTool
  const { revision } = saved
  const done = await author.post('/v1/studio/tools/pay/publish', { revision })
  expect(((await done.json()) as PublishAnswer).version).toBe(1)
  return { ...world, bank, author, pay, revision, keys }
}

promise(
  ['CS-STUDIO-13', 'SP-59'],
  'the chat calls a published tool: asked about once, and run once',
  async () => {
    const { signIn, store, bank } = await both()
    const ana = await signIn('ana@example.com')
    const id = await ana.begin()
    const turn = await ana.say(id, 'studio_pay {"a": 7, "b": 0}')
    const [approval = ''] = await turn.asked()
    expect(await ana.card(approval)).toMatchObject({ server: 'studio', tool: 'pay', risk: 'L4' })
    expect(bank.heard).toEqual([])
    await ana.decide(approval, 'approve')
    await turn.ended()
    expect(textOf((await ana.read(id)).last)).toContain('"paid": 7')
    expect(bank.heard.map(({ url }) => url)).toEqual(['/pay?amount=7'])
    expect((await store.list({})).approvals).toHaveLength(1)
  },
)

promise(
  ['CS-STUDIO-13', 'CS-STUDIO-7'],
  'a yes to one version runs no other in the chat, also where nothing invalidated it',
  async () => {
    const policy = `version: 1
mcp_servers:
  - alias: studio
    allowed_tools: [{ name: pay, approval: { approvers: ["*"] } }]
`
    const { signIn, store, bank, pay, revision, keys } = await both(policy)
    const ana = await signIn('ana@example.com')
    const ben = await signIn('ben@example.com')
    const id = await ana.begin()
    const turn = await ana.say(id, 'studio_pay {"a": 7, "b": 0}')
    const [approval = ''] = await turn.asked()
    turn.leave()
    await turn.ended()
    const state = async () => (await ana.read(id)).state
    await expect.poll(state, { timeout: 10_000 }).toBe('waiting')
    // As another server on this database does it, before it comes to the open questions.
    const elsewhere = createStudio({ store, keys, allowHosts: [bank.host] })
    const source = pay.source.replace('amount=', 'all-and-amount=')
    const next = await elsewhere.saveDraft('pay', { ...pay, source } as never, OTTO, revision)
    expect((await elsewhere.publish('pay', OTTO, next)).version).toBe(2)
    elsewhere.close()
    await ben.decide(approval, 'approve')
    await (await ana.goOn(id)).ended()
    expect(bank.heard).toEqual([])
  },
)

promise(
  ['CS-STUDIO-12'],
  'a file that says approval: false frees no call that its author wants asked about',
  async () => {
    const policies = [
      'version: 1\nmcp_servers: [{ alias: studio, approval: false }]\n',
      'version: 1\nmcp_servers: [{ alias: studio, allowed_tools: [{ name: pay, approval: { condition: { args_match: { a: { gt: 100 } } } } }] }]\n',
    ]
    for (const policy of policies) {
      const { signIn, bank } = await both(policy)
      const ana = await signIn('ana@example.com')
      const id = await ana.begin()
      const turn = await ana.say(id, 'studio_pay {"a": 7, "b": 0}')
      const [approval = ''] = await turn.asked()
      expect(await ana.card(approval)).toMatchObject({ tool: 'pay', level: 'confirm' })
      await ana.decide(approval, 'deny')
      await turn.ended()
      expect(bank.heard).toEqual([])
    }
  },
)

promise(
  ['CS-STUDIO-12', 'CS-STUDIO-4', 'CS-STUDIO-7'],
  'a question that cannot be read is refused; a secret is for the hosts that were shown, and goes with its tool',
  async () => {
    const { countersign, signIn, store, author, pay, revision } = await both()
    const url = '/v1/studio/tools/pay'
    const broken = { ...pay, hitl: { mode: 'REQUIRED', prompt: 'Pay {{amount}} to {{' } }
    const refused = await author.put(url, { spec: broken, revision })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('its question cannot be read')
    // One that is stored all the same stops nothing else, and asks.
    const version = (await store.records.get('studio-version', 'pay/1'))?.value as object
    await store.records.put('studio-version', 'odd/1', { ...version, spec: broken, digest: 'odd' })
    await store.amend({
      commandId: crypto.randomUUID(),
      event: { type: 'studio.published', by: { person: OTTO } },
      changes: [{ kind: 'studio-tool', id: 'odd', value: { latest: 1, live: 1 } }],
    })
    const ana = await signIn('ana@example.com')
    const listed = await ana.get('/v1/chat/tools')
    const { tools } = (await listed.json()) as { tools: { name: string; verdict: string }[] }
    const verdicts = Object.fromEntries(tools.map(({ name, verdict }) => [name, verdict]))
    expect(verdicts).toMatchObject({ studio_pay: 'confirm', studio_odd: 'confirm' })

    const capabilities = { ...pay.capabilities, secrets: ['KEY'] }
    const mine = (await (
      await author.put(url, { spec: { ...pay, capabilities }, revision })
    ).json()) as StudioTool
    const evil = { ...capabilities, net: [...capabilities.net, 'evil.example.com'] }
    const theirs = { spec: { ...pay, capabilities: evil }, revision: mine.revision }
    expect((await author.put(url, theirs)).status).toBe(200)
    const value = 'typed-for-the-bank-alone'
    const stale = await author.put(`${url}/secrets/KEY`, { value, revision: mine.revision })
    expect(stale.status).toBe(409)
    const seen = (await (await author.get(url)).json()) as StudioTool
    expect(seen.secrets).toEqual([])
    const again = await author.put(`${url}/secrets/KEY`, { value, revision: seen.revision })
    expect(again.status).toBe(204)

    // More questions than one page of the list holds.
    const { gate } = countersign
    for (let a = 0; a < 60; a++) {
      const call = { server: 'studio', tool: 'pay', args: { a }, run: 'r', key: `k${a}` }
      expect(await gate.check(call)).toMatchObject({ status: 'pending' })
    }
    expect((await author.remove(url)).status).toBe(204)
    expect((await store.list({ status: ['pending'] })).approvals).toEqual([])
    expect((await store.records.list('studio-secret')).records).toEqual([])
  },
)
