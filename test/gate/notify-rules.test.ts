import { expect } from 'vitest'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { wishesOf } from '../../src/gate/notify/route-people.ts'
import { laterFor, wishesUnder } from '../../src/gate/notify/routing.ts'
import { notifyRuleFor } from '../../src/policy/evaluate/notify-rule.ts'
import { runTests } from '../../src/policy/tooling/suite.ts'
import { notifyWords } from '../../src/policy/words/notify-words.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { openStore } from './gates.ts'

const { notify: rules } = policyOf(`
  people: { groups: { finance: [ana@example.com] } }
  notify:
    - { risk: { gte: L4 }, channels: [push, slack], next_after: 2m, at_once: true, people_choose: false }
    - { group: finance, tool: "pay_*", channels: [slack], next_after: 30m }
    - { channels: [mail] }
`).owner
const [critical, finance, rest] = rules
const low = { tool: 'pay_rent', risk: 'L1', groups: ['finance'] } as const

promise(['CS-ROUTE-1'], 'the first rule that fits the call and the person counts', () => {
  expect(notifyRuleFor(rules, low)).toBe(finance)
  expect(notifyRuleFor(rules, { ...low, groups: [] })).toBe(rest)
  expect(notifyRuleFor(rules, { ...low, tool: 'read' })).toBe(rest)
  expect(notifyRuleFor(rules, { ...low, risk: 'L5' })).toBe(critical)
  // A risk that is not known counts as high.
  expect(notifyRuleFor(rules, { tool: 'read', groups: [] })).toBe(critical)
})

promise(['CS-ROUTE-1'], 'what a person chose counts where the policy leaves it to them', () => {
  const chosen = { order: ['mail', 'push'], nextAfter: 60 }
  expect(wishesUnder(chosen, finance)).toEqual(chosen)
  expect(wishesUnder({}, finance)).toEqual({ order: ['slack'], nextAfter: 30 })
  expect(wishesUnder(chosen, critical)).toEqual({ order: ['push', 'slack'], nextAfter: 2 })
  expect(wishesUnder(chosen, undefined)).toEqual(chosen)
})

promise(['CS-ROUTE-1'], 'a rule may leave no order to people, and name none itself', () => {
  const [rule] = policyOf('notify: [{ risk: L5, people_choose: false }]').owner.notify
  expect(wishesUnder({ order: ['mail', 'push'], nextAfter: 60 }, rule)).toEqual({ nextAfter: 60 })
})

promise(['CS-ROUTE-1'], 'a risk that was guessed is no rating, so every rule fits', async () => {
  const { records } = await openStore('memory')
  const policy = { rules: () => rules, onCall: async () => undefined }
  const person = { subject: 'ana', groups: [] }
  const notice = (risk: object) => ({ approval: { tool: 'read', ...risk } }) as unknown as Notice
  const told = (risk: object) => wishesOf({ records, policy }, notice(risk), person)
  expect(await told({ risk: 'L3' })).toEqual({ order: ['mail'] })
  expect(await told({})).toEqual({ order: ['push', 'slack'], nextAfter: 2 })
  expect(await told({ risk: 'L3', riskGuessed: true })).toEqual(await told({}))
})

promise(['CS-ROUTE-1'], 'only a rule that says so reaches people in their quiet hours', () => {
  const quiet = { zone: 'UTC', from: '22:00', to: '07:00' }
  const now = Date.UTC(2030, 0, 1, 23)
  const notice: Notice = {
    ...{ id: 'a1-1-asked', kind: 'asked', question: true, at: now, to: [] },
    approval: {
      ...{ id: 'a1', revision: 1, status: 'pending', level: 'review', kind: 'tool' },
      ...{ tool: 'pay', agent: 'biller', message: '', askedAt: now, risk: 'L1' },
      decideBy: now + 24 * 3_600_000,
    },
  }
  const moment = { now, channel: 'push', earlier: 0 }
  expect(laterFor(wishesUnder({ quiet }, rest), notice, moment)?.why).toBe('quiet')
  expect(laterFor(wishesUnder({ quiet }, critical), notice, moment)).toBeUndefined()
})

promise(['CS-ROUTE-1'], 'a rule is a sentence', () => {
  expect(rules.map(notifyWords)).toEqual([
    'Every call at risk L4 and up, or not rated: by push first, then by slack; the next channel after 2 min; at once, also in quiet hours and without a digest; whatever order a person chose.',
    'Calls of pay_*, for group finance: by slack first; the next channel after 30 min.',
    'Every call: by mail first.',
  ])
})

promise.each(
  ['CS-ROUTE-1', 'CS-ONCALL-1'],
  'mistakes in rules and schedules are found when the file is read',
  [
    ['notify: [{ tool: pay }]', 'the rule says nothing'],
    ['notify: [{ group: legal, channels: [push] }]', 'group "legal" is not defined'],
    ['notify: [{ channels: [push, push] }]', 'already listed'],
    ['notify: [{ channels: [push], next_after: 5s }]', 'a duration of 1m to 24h'],
    ['notify: [{ channels: [push], quiet_hours: off }]', 'at_once'],
    ['people: { groups: { a: { members: [x@a.b], claim: c } } }', 'keep one of them'],
    ['people: { groups: { a: {} } }', '`claim` is missing'],
    ['people: { groups: { a: { members: [x@a.b], on_call: {} } } }', 'either `rotation`'],
    [
      'people: { groups: { a: { members: [x@a.b], on_call: { rotation: [y@a.b], handover: daily 09:00, since: "2026-01-05" } } } }',
      'y@a.b is not a member',
    ],
    [
      'people: { groups: { a: { members: [x@a.b], on_call: { rotation: [x@a.b], since: "2026-01-05" } } } }',
      '`handover` is missing',
    ],
    [
      'people: { groups: { a: { members: [x@a.b], on_call: { rotation: [x@a.b], handover: mon 9, since: "2026-02-30" } } } }',
      'monday 09:00',
    ],
    [
      'people: { groups: { a: { members: [x@a.b], on_call: { rotation: [x@a.b], handover: monday 09:00, since: "2026-02-30" } } } }',
      'not a date',
    ],
    [
      'people: { groups: { a: { members: [x@a.b], on_call: { rotation: [x@a.b], handover: monday 09:00, since: "2026-01-05", zone: Mars } } } }',
      'not a time zone',
    ],
    [
      'people: { groups: { a: { members: [x@a.b], on_call: { calendar: "ftp://a.b/c.ics" } } } }',
      'an https address or the name of a file',
    ],
    [
      'people: { groups: { a: { members: [x@a.b], on_call: { only: true, calendar: a.ics } } } }',
      'every member may decide',
    ],
  ],
  (text, problem) => {
    expect(() => policyOf(text)).toThrow(problem)
  },
)

promise(['CS-ROUTE-1'], 'tests of a policy file see how people are told', () => {
  const policy = policyOf(`
    people: { groups: { finance: [ana@example.com] } }
    tools: { pay: { risk: L5, approval: true }, read: { risk: L0 } }
    notify:
      - { risk: { gte: L4 }, channels: [push, slack], at_once: true }
      - { group: finance, channels: [mail] }
    tests:
      - { name: a, call: { tool: pay, args: {} }, expect: confirm, told: { by: [push, slack], at_once: true } }
      - { name: b, call: { tool: read, args: {} }, expect: allow, told: { group: finance, by: [mail], at_once: false } }
      - { name: c, call: { tool: read, args: {} }, expect: allow, told: { by: [mail] } }
      - { name: d, call: { tool: pay, args: {}, risk: L0 }, expect: confirm, told: { at_once: false } }
  `)
  const outcomes = runTests(policy, policy.owner.tests)
  expect(outcomes.map((one) => (one.passed ? 'passed' : one.problems))).toEqual([
    'passed',
    'passed',
    ['expected to be told by ["mail"], got []'],
    ['expected at_once false, got true'],
  ])
})
