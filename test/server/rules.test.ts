import { expect, test } from 'vitest'
import { RULE_OPERATORS, type RuleDraft } from '../../src/api/policy/rules.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { WISH_OPERATORS } from '../../src/policy/rules/rule-wish.ts'
import { runTests } from '../../src/policy/tooling/suite.ts'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

test('the API has every operator of policy files', () => {
  expect([...RULE_OPERATORS].sort()).toEqual([...WISH_OPERATORS].sort())
})

async function world(text = POLICY) {
  const file = { text }
  const at = running({ file })
  const bot = await at.agent('bot')
  const ana = await at.person('ana@example.com')
  const admin = await at.person('root@example.com', ['viewer', 'approver', 'admin'])
  const ask = async (args: object, tool = 'pay') =>
    (await at.send('/v1/calls', { as: bot, body: { tool, args } })).body as {
      id: string
      digest: string
    }
  const decide = ({ id, digest }: { id: string; digest: string }, verdict: 'approve' | 'deny') =>
    at.send(`/v1/approvals/${id}/decisions`, { as: ana, body: { verdict, digest } })
  const rule = async (body: object, as = admin) => {
    const answer = await at.send('/v1/policy/rule', { as, body })
    return answer as { status: number; body: unknown } as { status: number; body: RuleDraft }
  }
  const save = (body: object, as = admin) =>
    at.send('/v1/policy/draft', { as, body, method: 'PUT' })
  return { ...at, file, bot, ana, admin, ask, decide, rule, save }
}

promise(
  ['CS-RULES-2'],
  'a rule made from a call is a form and a text, tried on recorded calls, and written as a draft',
  async () => {
    const at = await world()
    await at.decide(await at.ask({ amount: 150, to: 'Bo' }), 'deny')
    await at.decide(await at.ask({ amount: 160, to: 'Bo' }), 'approve')
    const { id } = await at.ask({ amount: 900, to: 'Bo' })
    const first = (await at.rule({ from: id })).body
    expect(first.text).toBe(POLICY)
    expect(first).toMatchObject({
      words: 'asks when amount is over 100',
      details: expect.arrayContaining(['A yes from anyone with the approver role']),
      rule: {
        place: 'tool',
        verdict: 'review',
        when: [[{ path: 'amount', op: 'gt', value: 100 }]],
      },
      call: { tool: 'pay', args: expect.arrayContaining([{ path: 'amount', value: 900 }]) },
      replay: { calls: 3, same: 3, looser: 0 },
      canSave: true,
    })
    // The form changes the text …
    const when = [[{ path: 'amount', op: 'gt', value: 500 }]]
    const looser = (await at.rule({ from: id, rule: { ...first.rule, when } })).body
    expect(looser.text).toContain('500')
    expect(looser.replay).toMatchObject({ calls: 3, same: 1, looser: 2, refused: 1 })
    expect(looser.replay?.examples[0]).toMatchObject({ change: 'looser', status: 'denied' })
    // … and the text the form.
    const typed = looser.text.replace('500', '155')
    const read = (await at.rule({ from: id, text: typed, at: { place: 'tool' } })).body
    expect(read.rule?.when).toEqual([[{ path: 'amount', op: 'gt', value: 155 }]])
    expect(read.replay).toMatchObject({ looser: 1, refused: 1 })
    const stricter = { ...first.rule, when: [], quorum: [{ group: 'finance', n: 2 }] }
    expect((await at.rule({ from: id, rule: stricter })).body.replay).toMatchObject({ other: 3 })
    // Nothing was written so far, and saving applies nothing.
    expect(at.file.text).toBe(POLICY)
    const saved = await at.save({ text: read.text, base: first.base })
    expect(saved).toMatchObject({ status: 200, body: { changed: true } })
    expect(at.file.text).toBe(read.text)
    const explained = await at.send('/v1/policy/explain', {
      as: at.admin,
      body: { tool: 'pay', args: { amount: 150, to: 'x' } },
    })
    expect(explained.at('verdict.verdict')).toBe('review')
    const events = (await at.store.eventsSince('start')).entries
    expect(JSON.stringify(events)).toContain('policy.drafted')
  },
)

promise(
  ['CS-RULES-2'],
  'a file that changed meanwhile, a text with mistakes and other roles change nothing',
  async () => {
    const at = await world()
    const { id } = await at.ask({ amount: 150, to: 'Bo' })
    const { base, text } = (await at.rule({ from: id })).body
    const wrong = text.replace('approvers', 'aprovers')
    const mistaken = (await at.rule({ from: id, text: wrong, at: { place: 'tool' } })).body
    expect(mistaken.mistakes[0]).toMatchObject({ message: expect.stringContaining('approvers') })
    expect((await at.save({ text: wrong, base })).at('error.code')).toBe('policy_invalid')
    expect((await at.rule({ from: id }, at.ana)).status).toBe(403)
    expect((await at.save({ text, base }, at.ana)).status).toBe(403)
    at.file.text = `${POLICY}# by hand\n`
    expect((await at.save({ text: 'version: 1\n', base })).at('error.code')).toBe('policy_changed')
    expect(at.file.text).toBe(`${POLICY}# by hand\n`)
    expect(JSON.stringify((await at.store.eventsSince('start')).entries)).not.toContain(
      'policy.drafted',
    )
  },
)

const BANK = 'mcp_servers: [{ alias: bank, url: "https://bank.example.com/mcp" }]\n'

promise.each(
  ['CS-RULES-2'],
  'a draft starts no program and reaches no address that the file did not name',
  [
    ['a command', 'mcp_servers: [{ alias: x, command: sh, args: ["-c", "id"] }]\n'],
    ['an address', `${BANK.replace('bank.example', 'evil.example')}`],
    ['a header', BANK.replace(' }]', ', headers: { authorization: secret } }]')],
    ['another server', BANK.replace('}]', '}, { alias: y, url: "https://evil.example.com" }]')],
    ['a remote agent', 'remote_agents: [{ alias: z, url: "https://evil.example.com" }]\n'],
    ['a decision point', `${BANK}pdp: https://evil.example.com\n`],
  ],
  async (_, more) => {
    const at = await world(`${POLICY}${BANK}`)
    const { id } = await at.ask({ amount: 150, to: 'Bo' })
    const { base, mistakes } = (await at.rule({ from: id, text: `${POLICY}${more}` })).body
    expect(mistakes).toEqual([])
    const refused = await at.save({ text: `${POLICY}${more}`, base })
    expect(refused.at('error.code')).toBe('usage')
    expect(refused.at('error.message')).toContain('is reached')
    expect(at.file.text).toBe(`${POLICY}${BANK}`)
    const rated = `${POLICY}${BANK}`.replace('L3', 'L4')
    expect((await at.save({ text: rated, base })).status).toBe(200)
  },
)

promise(
  ['CS-RULES-2', 'CS-ONCALL-3'],
  'a draft names no calendar that the file did not',
  async () => {
    const at = await world()
    const { id } = await at.ask({ amount: 150, to: 'Bo' })
    const { base } = (await at.rule({ from: id, text: POLICY })).body
    const group = 'ops: { claim: ops, on_call: { calendar: /etc/passwd } }'
    const refused = await at.save({
      text: POLICY.replace('groups: {', `groups: { ${group},`),
      base,
    })
    expect(refused.at('error.message')).toContain('the calendar of group ops is reached')
    expect(at.file.text).toBe(POLICY)
  },
)

promise(['CS-RULES-3'], 'trying rules on recorded calls tells nothing that is hidden', async () => {
  const at = await world()
  await at.ask({ amount: 150, to: 'Bo', card: '4111' })
  const { id } = await at.ask({ amount: 160, to: 'Bo', card: '4222' })
  const { rule, call, ...rest } = (await at.rule({ from: id })).body
  expect(call.args.map(({ path }) => path).sort()).toEqual(['amount', 'to'])
  expect(call.hidden).toBe(1)
  const numbers = async (value: string) => {
    const when = [[{ path: 'card', op: 'ne', value }]]
    const tried = (await at.rule({ from: id, rule: { ...rule, when }, tests: true })).body
    expect(JSON.stringify([tried.call, tried.replay])).not.toMatch(/4111|4222/)
    return { ...tried.replay, examples: [], tests: tried.tests }
  }
  // A right guess looks like a wrong one.
  expect(await numbers('4111')).toEqual(await numbers('9999'))
  expect(JSON.stringify(rest)).not.toMatch(/4111|4222/)
  // A draft that no longer hides it shows no more of it.
  const open = rest.text.replace('    secrets: [card]\n', '')
  expect(open).not.toBe(rest.text)
  const when = {
    from: id,
    text: open,
    rule: { ...rule, when: [[{ path: 'card', op: 'eq', value: '4111' }]] },
  }
  const { replay } = (await at.rule(when)).body
  expect(replay).toMatchObject({ hidden: 2 })
  expect(replay?.looser).not.toBe(1)
})

promise(
  ['CS-RULES-3'],
  'what the policy in force hides stays hidden, also of calls from before it did',
  async () => {
    const open = POLICY.replace('    secrets: [card]\n', '')
    const at = await world(open)
    await at.ask({ amount: 150, memo: 'blue whale' })
    const { id } = await at.ask({ amount: 160, memo: 'red panda' })
    at.file.text = POLICY.replace('[card]', '[memo]')
    const { name } = (await at.send('/v1/policy/draft', { as: at.admin })).body as { name: string }
    expect((await at.send('/v1/policy/apply', { as: at.admin, body: { name } })).status).toBe(200)
    const { rule } = (await at.rule({ from: id })).body
    const when = [[{ path: 'memo', op: 'eq', value: 'blue whale' }]]
    const { replay } = (await at.rule({ from: id, text: open, rule: { ...rule, when } })).body
    expect(replay).toMatchObject({ hidden: 2 })
    expect(JSON.stringify(replay)).not.toMatch(/whale|panda/)
  },
)

promise(['CS-RULES-3'], 'no test is made from a call with a hidden value', async () => {
  const at = await world()
  await at.ask({ amount: 170, to: 'Bo', card: '4111' })
  const { id } = await at.ask({ amount: 900, to: 'Bo' })
  const { rule } = (await at.rule({ from: id })).body
  const when = [[{ path: 'amount', op: 'gt', value: 500 }]]
  const draft = (await at.rule({ from: id, rule: { ...rule, when }, tests: true })).body
  expect(draft.tests).toBe(1)
})

promise(
  ['CS-RULES-2'],
  'tests for the file come from recorded calls, and hold for it',
  async () => {
    const at = await world()
    await at.ask({ amount: 150, to: 'Bo: {x}\n# y' })
    await at.ask({ amount: 170, to: 'Bo', card: '4111' })
    const { id } = await at.ask({ amount: 900, to: 'Bo' })
    const { rule } = (await at.rule({ from: id })).body
    const when = [[{ path: 'amount', op: 'gt', value: 500 }]]
    const draft = (await at.rule({ from: id, rule: { ...rule, when }, tests: true })).body
    expect(draft.tests).toBe(2)
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: draft.text } })
    const { tests } = policy.owner
    expect(tests.map(({ expect }) => expect).sort()).toEqual(['allow', 'review'])
    expect(runTests(policy, tests).every(({ passed }) => passed)).toBe(true)
    expect(draft.text).not.toContain('4111')
  },
)

promise(['CS-RULES-2'], 'a lower rating shows as calls that are asked less', async () => {
  const text = `version: 1
tools: { ping: { risk: L3, approval: false } }
governance: [{ id: risky, match: { risk: { gte: L3 } }, approval: true }]
`
  const at = await world(text)
  const { id } = await at.ask({ host: 'a' }, 'ping')
  const lower = text.replace('risk: L3,', 'risk: L1,')
  const { replay } = (await at.rule({ from: id, text: lower, at: { place: 'tool' } })).body
  expect(replay).toMatchObject({ calls: 1, looser: 1, same: 0 })
})

test('very long arguments are left out where many calls are read', async () => {
  const at = await world()
  const long = await at.ask({ amount: 150, to: 'x'.repeat(40_000) })
  const { id } = await at.ask({ amount: 160, to: 'Bo' })
  expect((await at.rule({ from: id })).body.replay).toMatchObject({ calls: 1 })
  // A rule can still be made from such a call.
  expect((await at.rule({ from: long.id })).body.call.args).toContainEqual({
    path: 'amount',
    value: 150,
  })
})

test('a call that no rule names gets an extra rule that asks no less', async () => {
  const at = await world('version: 1\ndefaults: { undeclared: review }\n')
  const { id } = await at.ask({ path: 'a.txt' }, 'drop_file')
  const first = (await at.rule({ from: id })).body
  expect(first.rule).toMatchObject({ place: 'extra', id: 'ask-drop_file', verdict: 'review' })
  expect(first.words).toBe('asks about drop_file')
  expect(first.replay).toMatchObject({ calls: 1, looser: 0 })
  expect(first.places).toEqual(['tool', 'extra'])
})
