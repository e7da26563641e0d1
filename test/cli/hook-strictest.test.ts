import { expect, test } from 'vitest'
import { addsTo, strictest } from '../../src/app/hook/strictest.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { promise } from '../support/promise.ts'

const INPUT = {
  event: 'PreToolUse',
  session: 's1',
  cwd: '/',
  tool: 'Bash',
  args: { command: 'git push' },
  attempt: 'a1',
} as unknown as Parameters<typeof strictest>[1]
const CALL = { tool: 'Bash', args: { command: 'git push' }, agent: 'claude-code' }

function policyOf(approval: string, people = '') {
  const text = `version: 1\ntools: { Bash: { approval: ${approval} } }\n${people}`
  return { policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }), documents: [] }
}

const STAFF = 'people: { groups: { staff: [ana@example.com, bo@example.com] } }'
const ANYONE = policyOf('{ approvers: ["*"], decide_by: 1h }')
const TWO = policyOf(
  '{ quorum: [{ group: staff, n: 2 }], min_assurance: passkey, reason: required, edit: false, grants: false }',
  STAFF,
)
const CONFIRM = policyOf('{ min_assurance: signed-in, reason: required }')
const FREE = policyOf('false')

promise.each(
  ['CS-HOOK-8'],
  'of policies that are equally strict, all terms count',
  [
    ['the project first', [ANYONE, TWO]],
    ['the project last', [TWO, ANYONE]],
    ['with one that lets it run', [FREE, TWO, ANYONE]],
  ] as const,
  (_, policies) => {
    const verdict = evaluate((strictest(policies as never, INPUT) as typeof ANYONE).policy, CALL)
    expect(verdict).toMatchObject({
      verdict: 'review',
      terms: {
        decideBy: 3_600_000,
        minAssurance: 'passkey',
        reason: 'required',
        edit: false,
        grants: false,
      },
    })
    const { requirements } = verdict as Extract<typeof verdict, { requirements: unknown }>
    expect(requirements.map(({ quorum }) => quorum)).toContainEqual([
      expect.objectContaining({ n: 2 }),
    ])
    expect(requirements.map(({ approvers }) => approvers)).toContainEqual(['*'])
  },
)

promise(['CS-HOOK-8'], 'the terms of a policy that only confirms count beside a review', () => {
  const { policy } = strictest([ANYONE, CONFIRM] as never, INPUT) as typeof ANYONE
  expect(evaluate(policy, CALL)).toMatchObject({
    verdict: 'review',
    terms: { minAssurance: 'signed-in', reason: 'required', decideBy: 3_600_000 },
  })
})

promise(['CS-HOOK-8'], 'a server hands a call back where another policy adds anything', () => {
  expect(addsTo(ANYONE.policy, TWO.policy, INPUT)).toBe(true)
  expect(addsTo(TWO.policy, ANYONE.policy, INPUT)).toBe(true)
  expect(addsTo(ANYONE.policy, CONFIRM.policy, INPUT)).toBe(true)
  expect(addsTo(ANYONE.policy, ANYONE.policy, INPUT)).toBe(false)
  expect(addsTo(ANYONE.policy, FREE.policy, INPUT)).toBe(false)
})

test('a group that means other people elsewhere blocks the call', () => {
  const other = policyOf('{ quorum: [{ group: staff, n: 1 }] }', STAFF.replace('bo@', 'eve@'))
  expect(() => strictest([TWO, other] as never, INPUT)).toThrow(/group "staff"/)
})

promise(['CS-AZ-18'], 'the decision points of all policies are asked', () => {
  const text = 'version: 1\ntools: { Bash: { approval: false } }\npdp: https://pdp.example.com\n'
  const asking = { policy: parsePolicy({ owner: { file: 'a.yaml', text } }), documents: [] }
  expect(addsTo(FREE.policy, asking.policy, INPUT)).toBe(true)
  expect(addsTo(asking.policy, asking.policy, INPUT)).toBe(false)
  for (const policies of [
    [TWO, asking],
    [asking, TWO],
  ]) {
    const { policy } = strictest(policies as never, INPUT) as typeof ANYONE
    expect(policy.pdps.map(({ url }) => url)).toEqual(['https://pdp.example.com'])
    expect(evaluate(policy, CALL).verdict).toBe('review')
  }
})
