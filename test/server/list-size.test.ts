import { expect } from 'vitest'
import type { ApprovalCard, ApprovalPage } from '../../src/api/approval.ts'
import type { Content } from '../../src/approval/transition.ts'
import { listedRow } from '../../src/server/view/row.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

/** What one line of the list may weigh, whatever was asked. */
const ROW_BYTES = 10_000
const LONG = 'x'.repeat(200_000)
const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, nth) => [`key${nth}`, nth]))
const people = Array.from({ length: 400 }, (_, nth) => `gone${nth}@example.com`)
const policy = POLICY.replace(
  'tools:\n',
  `tools:
  repeat:
    approval: { message_template: "{{tool_args.a}} {{tool_args.a}} {{tool_args.a}}" }
  shout:
    approval: { message_template: "Shout {{tool_args.amount}}?", approvers: ["*"] }
`,
)

promise.each(
  ['CS-INBOX-21'],
  'B12: a line of the list stays small, and the card is whole, for',
  [
    ['a long argument', { tool: 'note', args: { a: LONG } }, LONG],
    ['thousands of keys', { tool: 'note', args: keys }, '"key4999":4999'],
    [
      'a template that repeats it',
      { tool: 'repeat', args: { a: LONG } },
      `${LONG} ${LONG} ${LONG}`,
    ],
    [
      'emoji where it is cut',
      { tool: 'repeat', args: { a: `x${'🎉'.repeat(9_000)}` } },
      '🎉'.repeat(9_000),
    ],
    [
      'words and approvers of the agent',
      {
        tool: 'note',
        args: { a: 1 },
        declared: { approval: { message_template: LONG.slice(0, 2_000), approvers: people } },
      },
      LONG.slice(0, 2_000),
    ],
  ] as [string, object, string][],
  async (_, call, whole) => {
    const { send, agent, person } = running({ policy })
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const asked = await send('/v1/calls', { as: bot, body: call })
    expect(asked.at('status')).toBe('pending')
    const page = (await send('/v1/approvals', { as: ana })).body as ApprovalPage
    const [row] = page.approvals
    expect(JSON.stringify(row).length).toBeLessThan(ROW_BYTES)
    expect(row?.message.length).toBeLessThanOrEqual(501)
    expect(row?.message.isWellFormed()).toBe(true)
    expect(row?.message.endsWith('…')).toBe(true)
    const card = (await send(`/v1/approvals/${row?.id}`, { as: ana })).body as ApprovalCard
    expect(card.message).toContain(whole)
    expect(card.message.startsWith(row?.message.slice(0, -1) ?? '?')).toBe(true)
  },
)

promise(
  ['CS-INBOX-21'],
  'a short question is listed as it is, and a long one is found by its last word',
  async () => {
    const { send, agent, person } = running({ policy })
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    await send('/v1/calls', { as: bot, body: { tool: 'note', args: { a: 1 } } })
    await send('/v1/calls', { as: bot, body: { tool: 'note', args: { a: `${LONG} needle` } } })
    const listed = async (query: string) =>
      ((await send(`/v1/approvals${query}`, { as: ana })).body as ApprovalPage).approvals
    expect((await listed('?order=oldest'))[0]?.message).toBe(`Run 'note' with arguments {"a":1}?`)
    const found = await listed('?q=needle')
    expect(found).toHaveLength(1)
    // A rule can name many people, and so does the sentence about who is missing.
    const [row] = found.map((one) => listedRow({ ...one, unreachableWhy: LONG }))
    expect(row?.unreachableWhy).toHaveLength(501)
  },
)

/** A store that notes what content is read from it. */
function counting() {
  const store = memoryStore()
  const read: Content[] = []
  const content: Store['content'] = async (id, kinds) => {
    const found = await store.content(id, kinds)
    read.push(...found)
    return found
  }
  const contentOf: Store['contentOf'] = async (ids, kinds) => {
    const found = await store.contentOf(ids, kinds)
    read.push(...[...found.values()].flat())
    return found
  }
  return { store: { ...store, content, contentOf }, read }
}

/** Three calls that ran, each with long arguments and a long result. */
async function threeRan() {
  const { store, read } = counting()
  const { send, agent, person } = running({ store, policy })
  const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
  for (const nth of [1, 2, 3]) {
    const args = { to: `${LONG}${nth}`, amount: 150 }
    const asked = await send('/v1/calls', { as: bot, body: { tool: 'shout', args } })
    const [id, digest] = [asked.at('id'), asked.at('digest')]
    const yes = { verdict: 'approve', digest }
    await send(`/v1/approvals/${id}/decisions`, { as: ana, body: yes })
    const claimed = await send(`/v1/approvals/${id}/claim`, { as: bot, body: { digest } })
    const end = { claim: claimed.at('claim'), outcome: 'succeeded', result: { text: LONG } }
    const ended = await send(`/v1/approvals/${id}/result`, { as: bot, body: end })
    expect(ended.at('execution')).toBe('succeeded')
  }
  read.length = 0
  return { send, bot, ana, read }
}

promise(
  ['CS-INBOX-22'],
  'B12: the list of an approver reads the questions from the store and nothing else',
  async () => {
    const { send, ana, read } = await threeRan()
    const page = await send('/v1/approvals?status=all', { as: ana })
    expect((page.body as ApprovalPage).approvals.map((row) => row.message)).toEqual(
      Array(3).fill('Shout 150?'),
    )
    expect(read.map(({ kind }) => kind)).toEqual(['question', 'question', 'question'])
    expect(JSON.stringify(read).length).toBeLessThan(3 * ROW_BYTES)
  },
)

promise(
  ['CS-INBOX-22'],
  'B12: the list of an agent carries no results, and each is there under its own id',
  async () => {
    const { send, bot, read } = await threeRan()
    const page = await send('/v1/approvals?status=all', { as: bot })
    const { approvals } = page.body as { approvals: { id: string; execution: string }[] }
    expect(approvals.map(({ execution }) => execution)).toEqual(Array(3).fill('succeeded'))
    expect(JSON.stringify(approvals).length).toBeLessThan(3 * ROW_BYTES)
    expect(read).toEqual([])
    const one = await send(`/v1/approvals/${approvals[0]?.id}`, { as: bot })
    expect(one.body).toMatchObject({ result: { text: LONG } })
    expect(read.map(({ kind }) => kind)).toEqual(['result'])
  },
)
