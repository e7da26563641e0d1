import { expect, test } from 'vitest'
import type { ApprovalCard } from '../../src/api/approval.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const PREVIEW = {
  summary: 'Pays Lena Park',
  facts: [{ label: 'Balance after', value: 12.5 }],
  table: { columns: ['Invoice'], rows: [['i-1']], total: 4 },
}
const PAY = { tool: 'pay', run: 'r1', key: 'k', args: { amount: 500, to: 'Lena' } }

async function world(store?: Store) {
  const { send, agent, person } = running(store ? { store } : {})
  const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
  const ask = (more: object = {}) => send('/v1/calls', { as: bot, body: { ...PAY, ...more } })
  const card = async (id: string) =>
    (await send(`/v1/approvals/${id}`, { as: ana })).body as ApprovalCard
  const decide = (id: string, body: object) =>
    send(`/v1/approvals/${id}/decisions`, { as: ana, body })
  return { send, agent, bot, ana, ask, card, decide }
}

promise(
  ['CS-PREVIEW-1', 'CS-PREVIEW-2', 'CS-PREVIEW-7'],
  'over HTTP a sender that makes previews is told first, and the card shows what it sent',
  async () => {
    const { ask, card, decide, send, bot } = await world()
    expect((await ask({ previews: true })).body).toEqual({ status: 'unasked' })
    expect((await send('/v1/approvals', { as: bot })).body).toMatchObject({ approvals: [] })
    const asked = await ask({ preview: PREVIEW })
    const { preview, can } = await card(asked.at('id'))
    expect(preview).toEqual({ ...PREVIEW, digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(can).toContain('approve')
    // Asked again it keeps its question, its preview and its digest, whatever is sent.
    const again = await ask({ preview: { summary: 'Pays a stranger' } })
    expect([again.at('id'), again.at('digest')]).toEqual([asked.at('id'), asked.at('digest')])
    expect((await ask({ previews: true })).at('id')).toBe(asked.at('id'))
    expect((await card(asked.at('id'))).preview).toEqual(preview)
    // The agent that asked reads nothing of it back.
    const own = await send(`/v1/approvals/${asked.at('id')}`, { as: bot })
    expect(JSON.stringify(own.body)).not.toContain('Lena Park')
    const edit = { arguments: { ...PAY.args, amount: 300 } }
    const yes = { verdict: 'approve', digest: asked.at('digest'), edit }
    expect((await decide(asked.at('id'), yes)).status).toBe(200)
    expect((await card(asked.at('id'))).preview).toEqual({ ...preview, ofAsked: true })
  },
)

promise(
  ['CS-PREVIEW-3'],
  'what is sent as a preview is one, or says why there is none; anything else asks no one',
  async () => {
    const { ask, card, send, bot } = await world()
    for (const preview of [
      'text',
      {},
      { html: '<b>' },
      { failed: 'because' },
      { failed: 'threw', summary: 'and more' },
      { table: { columns: ['a', 'a'], rows: [] } },
      { table: { columns: ['a'], rows: [['1'], ['2']], total: 1 } },
      { text: 'a'.repeat(8_001) },
    ]) {
      const answer = await ask({ preview })
      expect([answer.status >= 400, answer.status < 500], JSON.stringify(preview)).toEqual([
        true,
        true,
      ])
    }
    expect((await send('/v1/approvals', { as: bot })).body).toMatchObject({ approvals: [] })
    const failed = await ask({ preview: { failed: 'timed_out' } })
    const { preview, can } = await card(failed.at('id'))
    expect(preview).toMatchObject({ failed: 'timed_out' })
    expect(can).toContain('approve')
  },
)

promise(
  ['CS-PREVIEW-5', 'CS-PREVIEW-7'],
  'a preview at its limits that is longer once it is masked is shown whole',
  async () => {
    const { ask, card } = await world()
    const preview = {
      summary: 'zebra4'.repeat(83),
      facts: [{ label: 'zebra4'.repeat(16), value: 'zebra4'.repeat(83) }],
      table: { columns: ['zebra4'.repeat(16)], rows: [['zebra4'.repeat(83)]] },
      text: 'zebra4'.repeat(1_333),
    }
    const asked = await ask({ args: { ...PAY.args, password: 'zebra4' }, preview })
    // Every answer is held to its contract as it is read.
    expect((await card(asked.at('id'))).preview).toMatchObject({
      summary: '[secret]'.repeat(83),
      text: '[secret]'.repeat(1_333),
    })
  },
)

promise(
  ['CS-PREVIEW-6'],
  'arguments, definitions and an AuthZEN request that speak of a preview make none',
  async () => {
    const { ask, card, send, bot } = await world()
    const asked = await ask({
      args: { ...PAY.args, preview: PREVIEW },
      context: { says: 'preview: Pays Lena Park' },
      definition: { description: 'Pays', preview: PREVIEW },
    })
    expect((await card(asked.at('id'))).preview).toBeUndefined()
    for (const at of ['context', 'parent']) {
      const answer = await ask({ key: at, [at]: { preview: PREVIEW } })
      expect(answer.status, at).toBeGreaterThanOrEqual(400)
    }
    const request = await send('/access/v1/evaluation', {
      as: bot,
      body: {
        subject: { type: 'user', id: 'hana@example.com' },
        action: { name: 'note', properties: { preview: PREVIEW } },
        resource: { type: 'tool', id: 'note', properties: { preview: PREVIEW } },
        context: { preview: PREVIEW, properties: { preview: PREVIEW } },
      },
    })
    expect(request.status).toBeLessThan(500)
    const { approvals } = (await send('/v1/approvals', { as: bot })).body as {
      approvals: { id: string }[]
    }
    for (const { id } of approvals) expect((await card(id)).preview).toBeUndefined()
  },
)

promise(
  ['CS-PREVIEW-4'],
  'a preview that was changed in the database is not shown, and the call cannot be approved',
  async () => {
    const store = memoryStore()
    let isForged = false
    const { ask, card, decide } = await world({
      ...store,
      content: async (id, kinds) =>
        (await store.content(id, kinds)).map((one) =>
          isForged && one.kind === 'question'
            ? JSON.parse(JSON.stringify(one).replace('Lena Park', 'Lena Pork'))
            : one,
        ),
    })
    const asked = await ask({ preview: PREVIEW })
    const id = asked.at('id')
    isForged = true
    const shown = await card(id)
    expect(shown.preview).toEqual({ failed: 'unknown', digest: expect.any(String) })
    expect(shown.can).toContain('deny')
    expect(shown.can).not.toContain('approve')
    const yes = { verdict: 'approve', digest: asked.at('digest') }
    expect((await decide(id, yes)).at('error.code')).toBe('content_gone')
    isForged = false
    expect((await decide(id, yes)).at('status')).toBe('approved')
  },
)

test('a call that needs no question needs no preview', async () => {
  const { send, bot } = await world()
  const body = { tool: 'read', args: {}, previews: true }
  expect((await send('/v1/calls', { as: bot, body })).body).toEqual({ status: 'allowed', args: {} })
})

promise(['CS-PREVIEW-2'], 'two agents with one key have each their own preview', async () => {
  const { ask, card, send, agent } = await world()
  const mine = await ask({ preview: PREVIEW })
  const body = { ...PAY, preview: { summary: 'of another agent' } }
  const theirs = await send('/v1/calls', { as: await agent('other'), body })
  expect((await card(mine.at('id'))).preview?.summary).toBe('Pays Lena Park')
  expect((await card(theirs.at('id'))).preview?.summary).toBe('of another agent')
})
