import { expect, test } from 'vitest'
import { mcpGateway } from '../../src/app/mcp-gateway.ts'
import { createConversations } from '../../src/chat/conversations.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { promise } from '../support/promise.ts'
import { chatWorld } from './chat-world.ts'
import { hostileModel, openBank, type Script } from './hostile-model.ts'

/** A chat whose model follows the script, and whose one server is the bank. */
async function banking(script: Script, bank = openBank()) {
  const model = await hostileModel(script)
  const { paid, url } = await bank
  const policy = `version: 1\nmcp_servers:\n  - { alias: bank, url: "${url}", approval: true }\n`
  const world = chatWorld(policy, { mcp: mcpGateway(), keys: memoryKeys() })
  return { ...world, paid, model }
}

const pay = (id: string, amount: number) => ({ id, tool: 'bank_pay', args: { amount } })

promise(
  ['CS-CHAT-5'],
  'two calls under one id in one step: the yes to the first pays nothing else',
  async () => {
    const { signIn, paid, model, store } = await banking([[pay('c', 1), pay('c', 1_000)]])
    const ana = await signIn('ana@example.com')
    const id = await ana.begin(model)
    const turn = await ana.say(id, 'Pay')
    const [approval = ''] = await turn.asked()
    const { arguments: shown } = await ana.card(approval)
    await ana.decide(approval, 'approve')
    const left = async () => {
      const { approvals } = await store.list({ status: ['pending'] })
      for (const one of approvals) await ana.decide(one.id, 'deny')
      return (await ana.read(id)).state
    }
    await expect.poll(left, { timeout: 10_000 }).toBe('idle')
    await turn.ended()
    expect(paid.length).toBeLessThan(2)
    for (const amount of paid) expect(JSON.parse(shown)).toEqual({ amount })
  },
)

promise(
  ['CS-CHAT-5'],
  'the same id and arguments again, in the next step, the next message or another conversation, are not run by the yes before',
  async () => {
    const again = [pay('c', 5)]
    const script = [again, again, 'done', again, 'done', again, 'done']
    const { signIn, paid, model } = await banking(script)
    const ana = await signIn('ana@example.com')
    const id = await ana.begin(model)
    const first = await ana.say(id, 'Pay')
    const [yes = ''] = await first.asked()
    await ana.decide(yes, 'approve')
    await first.ended()
    expect(paid).toEqual([5])
    // The next message: asked anew.
    const second = await ana.say(id, 'Pay again')
    const [asked = ''] = await second.asked()
    expect(asked).not.toBe(yes)
    await ana.decide(asked, 'deny')
    await second.ended()
    // Another conversation.
    const other = await ana.begin(model)
    const third = await ana.say(other, 'Pay')
    const [third1 = ''] = await third.asked()
    expect([yes, asked]).not.toContain(third1)
    await ana.decide(third1, 'deny')
    await third.ended()
    expect(paid).toEqual([5])
  },
)

promise(
  ['CS-CHAT-5'],
  'a person who may no longer chat has nothing run for them, whoever says yes',
  async () => {
    const { signIn, store } = chatWorld()
    const ana = await signIn('ana@example.com')
    const ben = await signIn('ben@example.com')
    const root = await signIn('root@example.com', ['admin'])
    const id = await ana.begin()
    const call = 'sample_transfer_money {"to":"Harbour","amount":5000,"currency":"EUR"}'
    const turn = await ana.say(id, call)
    const [approval = ''] = await turn.asked()
    const who = accountKey({ issuer: 'local', subject: 'ana@example.com' })
    const changed = await root.post(`/v1/people/${who}`, { roles: ['viewer'] })
    expect(changed.status).toBe(200)
    await ben.decide(approval, 'approve')
    await turn.ended()
    expect((await store.get(approval))?.execution).toBeUndefined()
  },
)

promise(
  ['CS-CHAT-6'],
  'while servers are still being reached the turn is taken, and can be stopped',
  async () => {
    const script = [[pay('c', 1)]]
    const { signIn, model, store } = await banking(script, openBank({ slow: 3_000 }))
    const ana = await signIn('ana@example.com')
    const id = await ana.begin(model)
    const first = ana.say(id, 'Pay')
    await expect.poll(async () => (await ana.read(id)).state).toBe('running')
    const second = await ana.post(`/v1/chat/conversations/${id}/messages`, { text: 'Pay' })
    expect(second.status).toBe(409)
    expect((await ana.post(`/v1/chat/conversations/${id}/stop`)).status).toBe(204)
    await (await first).ended()
    expect((await ana.read(id)).state).toBe('idle')
    expect((await store.list({})).approvals).toEqual([])
  },
)

test('a page that is gone ends its answer, also after the collector ran', async () => {
  const { signIn } = chatWorld()
  const ana = await signIn('ana@example.com')
  const turn = await ana.say(await ana.begin(), 'Pay Northwind 18,400')
  await turn.asked()
  for (let at = 0; at < 4; at++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  turn.leave()
  await turn.ended()
})

promise(
  ['CS-CHAT-6'],
  'answers and conversations of one person are bounded, and go when the person is removed',
  async () => {
    const { signIn, store } = chatWorld()
    const ana = await signIn('ana@example.com')
    const root = await signIn('root@example.com', ['admin'])
    const turns = []
    for (let at = 0; at < 4; at++) {
      const turn = await ana.say(await ana.begin(), 'Pay Northwind 18,400')
      await turn.asked()
      turns.push(turn)
    }
    const url = `/v1/chat/conversations/${await ana.begin()}/messages`
    const fifth = await ana.post(url, { text: 'Hello' })
    expect(fifth.status).toBe(429)
    for (const turn of turns) turn.leave()
    await Promise.all(turns.map((turn) => turn.ended()))

    const made = []
    for (let at = 5; at < 201; at++) {
      made.push((await ana.post('/v1/chat/conversations', { model: 'rehearsal' })).status)
    }
    expect(made.slice(0, -1).every((status) => status === 201)).toBe(true)
    expect(made.at(-1)).toBe(413)

    const who = accountKey({ issuer: 'local', subject: 'ana@example.com' })
    await root.remove(`/v1/people/${who}`)
    const left = await Promise.all(
      ['chat', 'chat-messages'].map((kind) => store.records.list(kind)),
    )
    expect(left.flatMap(({ records }) => records)).toEqual([])
  },
)

test('a turn that waits writes its renewal and not all of its messages again', async () => {
  const store = memoryStore()
  const conversations = createConversations(store)
  const made = await conversations.create('ana', { title: 'x', model: 'rehearsal' })
  const parts = [{ type: 'text' as const, text: '😀'.repeat(20_000) }]
  const said = [{ id: 'm', role: 'user' as const, parts }]
  const kept = await conversations.put('ana', { ...made, messages: said })
  const names = async () => (await store.records.list('chat-messages')).records.map(({ id }) => id)
  const before = await names()
  expect(before.length).toBeGreaterThan(3)
  if (!kept) throw new Error('it was not kept')
  await conversations.put('ana', { ...kept, turn: { by: 'x', until: 1 } })
  expect(await names()).toEqual(before)
  expect((await conversations.get('ana', made.id))?.messages).toEqual(said)
  await store.close()
})
