import { expect, test } from 'vitest'
import type {
  ApprovalObject,
  Approver,
  Defaults,
  Edit,
  EvaluationInput,
  GovernanceRule,
} from './documents.ts'
import { milliseconds } from './duration.ts'
import { naiveEvaluate } from './evaluate.ts'
import { editableInBoth, type Terms } from './requirements.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function evaluate(
  approval: true | ApprovalObject | undefined,
  defaults: Defaults,
  outside: ApprovalObject[] = [],
  more: Partial<EvaluationInput> = {},
) {
  const governance = outside.map(
    (declared, at): GovernanceRule => ({ id: `g${at}`, approval: declared }),
  )
  const pay = approval === undefined ? {} : { approval }
  const input: EvaluationInput = {
    owner: { version: 1, defaults, tools: { pay } },
    governance: [{ version: 1, governance }],
    ...more,
  }
  return naiveEvaluate(input, { tool: 'pay', args: {} })
}

const quorum = [{ group: 'finance', n: 1 }]
const defaultApprovers: Approver[] = [{ group: 'ops' }]

test.each<[string, true | ApprovalObject, Defaults, object]>([
  ['confirm names no person', true, {}, { level: 'confirm', approvers: [], quorum: [] }],
  [
    'declared approvers',
    { approvers: ['ana@x.com'] },
    { approvers: defaultApprovers },
    { level: 'review', approvers: ['ana@x.com'], quorum: [] },
  ],
  [
    'default approvers',
    true,
    { approvers: defaultApprovers },
    { level: 'review', approvers: defaultApprovers, quorum: [] },
  ],
  [
    'a quorum instead of approvers',
    { quorum },
    { approvers: defaultApprovers },
    { level: 'review', approvers: [], quorum },
  ],
  [
    'escalation as written',
    { escalate: [{ after: '4h', to: { group: 'ops' } }] },
    {},
    { level: 'confirm', escalate: [{ after: '4h', to: { group: 'ops' } }] },
  ],
])('requirement: %s', (_, approval, defaults, expected) => {
  expect(evaluate(approval, defaults).requirements).toMatchObject([expected])
})

test('review without names is anyone', () => {
  expect(evaluate(undefined, { undeclared: 'review' }).requirements).toMatchObject([
    { source: 'default', rule: 'defaults.undeclared', level: 'review', approvers: ['*'] },
  ])
  const mode = { kind: 'answered' as const, answer: 'review' as const }
  const defaults = { approvers: defaultApprovers }
  expect(evaluate(undefined, defaults, [], { mode }).requirements).toMatchObject([
    { source: 'mode', rule: 'mode.custom', level: 'review', approvers: defaultApprovers },
  ])
})

test('there is one requirement for each reason, in the same order', () => {
  const { reasons, requirements } = evaluate(true, {}, [{ quorum }, {}])
  expect(requirements.map(({ rule }) => rule)).toEqual(reasons.map(({ rule }) => rule))
  expect(requirements.map(({ level }) => level)).toEqual(['review', 'confirm', 'confirm'])
})

test.each<[string, Parameters<typeof evaluate>, Partial<Terms>]>([
  [
    'nothing said',
    [true, {}],
    {
      decideBy: 24 * HOUR,
      useBy: 15 * MINUTE,
      waitFor: undefined,
      remindAfter: undefined,
      minAssurance: 'elicitation',
      reason: 'optional',
      edit: true,
      grants: true,
    },
  ],
  [
    'the defaults',
    [true, { decide_by: '1h', wait_for: '5m' }],
    { decideBy: HOUR, waitFor: 5 * MINUTE },
  ],
  ['own before defaults', [{ decide_by: '8h' }, { decide_by: '1h' }], { decideBy: 8 * HOUR }],
  [
    'the minimum of what is set',
    [{ decide_by: '8h' }, {}, [{ decide_by: '4h', remind_after: '1h' }, {}]],
    { decideBy: 4 * HOUR, remindAfter: HOUR },
  ],
  [
    'a silent rule takes the default where the owner does not ask',
    [undefined, { decide_by: '1h' }, [{ decide_by: '8h' }, {}]],
    { decideBy: HOUR },
  ],
  [
    'a silent rule adds nothing where the owner asks',
    [{ decide_by: '8h' }, { decide_by: '1h' }, [{}]],
    { decideBy: 8 * HOUR },
  ],
  [
    'no rule can lengthen what the owner left to the defaults',
    [{}, {}, [{ decide_by: '48h', use_by: '1h' }]],
    { decideBy: 24 * HOUR, useBy: 15 * MINUTE },
  ],
  [
    'the other terms of the owner hold where no rule from outside says anything',
    [undefined, { min_assurance: 'passkey', reason: 'required', edit: false }, [{}]],
    { minAssurance: 'passkey', reason: 'required', edit: false },
  ],
  [
    'defaults where nothing else is set',
    [undefined, { decide_by: '1h', use_by: '5m' }, [{}]],
    { decideBy: HOUR, useBy: 5 * MINUTE },
  ],
  [
    'the highest assurance',
    [true, { min_assurance: 'chat' }, [{ min_assurance: 'passkey' }, {}]],
    { minAssurance: 'passkey' },
  ],
  [
    'the strictest reason',
    [{ reason: 'required' }, {}, [{ reason: 'required_always' }]],
    { reason: 'required_always' },
  ],
  ['one no to grants', [{ grants: true }, {}, [{ grants: false }]], { grants: false }],
  [
    'edit in common',
    [true, { edit: ['order', 'memo'] }, [{ edit: ['order.amount', 'to'] }, {}]],
    { edit: ['order.amount'] },
  ],
])('terms: %s', (_, parameters, expected) => {
  expect(evaluate(...parameters).terms).toMatchObject(expected)
})

test("rules in the owner's own governance list take the owner's defaults", () => {
  const defaults: Defaults = { min_assurance: 'passkey', edit: ['memo'] }
  const owner = { version: 1 as const, defaults, governance: [{ id: 'g', approval: {} }] }
  const result = naiveEvaluate({ owner, governance: [] }, { tool: 'pay', args: {} })
  expect(result.terms).toMatchObject({ minAssurance: 'passkey', edit: ['memo'] })
})

test('a call of risk L5 mints no grants', () => {
  const owner = { version: 1 as const, tools: { pay: { approval: true, risk: 'L5' as const } } }
  const result = naiveEvaluate({ owner, governance: [] }, { tool: 'pay', risk: 'L1', args: {} })
  expect(result.terms?.grants).toBe(false)
})

test.each<[Edit, Edit, Edit]>([
  [true, true, true],
  [true, false, false],
  [true, ['b', 'a', 'b'], ['a', 'b']],
  [['a', 'b'], ['b', 'c'], ['b']],
  [['a'], ['b'], false],
  [['order'], ['order.amount', 'order.item'], ['order.amount', 'order.item']],
  [['order'], ['orders'], false],
  [['a.b'], ['a\\.b'], false],
  [['a'], false, false],
])('edit %j and %j leave %j', (one, other, both) => {
  expect(editableInBoth(one, other)).toEqual(both)
  expect(editableInBoth(other, one)).toEqual(both)
})

test.each([
  ['30s', 30_000],
  ['15m', 15 * MINUTE],
  ['1h30m', 90 * MINUTE],
  ['1d', 24 * HOUR],
  ['7 days', 168 * HOUR],
])('%s is %d milliseconds', (text, expected) => {
  expect(milliseconds(text)).toBe(expected)
})
