import { expect, test } from 'vitest'
import {
  accepted,
  ana,
  asked,
  asks,
  directory,
  financeAndSecurity,
  MINUTE,
  NOON,
  no,
  outcome,
  send,
  twoFinance,
} from '../../../test/approval/asking.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Approval } from '../approval.ts'
import type { Lock } from '../locks/lock.ts'
import { step } from '../step.ts'
import { noticesOf } from '../transition.ts'
import type { Directory, Requirement } from './requirement.ts'

const soon = NOON + MINUTE

const finance = (...names: string[]): Directory => ({
  ...directory,
  groups: { ...directory.groups, finance: { emails: names.map((name) => `${name}@example.com`) } },
})

function looked(approval: Approval, known: Directory, locks: readonly Lock[] = []) {
  return accepted(step(approval, send('reach', { directory: known }), soon, { locks }))
}

function lockOf(name: string, facts: Partial<Lock> = {}): Lock {
  const person = { issuer: 'https://id.example.com', subject: name, email: `${name}@example.com` }
  return { id: `on-${name}`, target: { person }, by: person, reason: 'x', at: NOON, ...facts }
}

promise(
  ['CS-UNREACH-1'],
  'a question without eligible approvers is noted once, and when that ends',
  () => {
    const approval = asked({ requirements: [twoFinance] })
    expect(looked(approval, directory).approval).toBe(approval)
    const lost = looked(approval, finance('bo'))
    expect(lost.approval.unreachable).toEqual({
      rule: 'tools.transfer_money.approval',
      says: 'finance needs 2, only bo@example.com is left',
      at: soon,
    })
    expect(lost.events.map(({ type, status }) => [type, status])).toEqual([
      ['unreachable', 'pending'],
    ])
    expect(noticesOf(lost.approval, lost.events)).toMatchObject([{ kind: 'unreachable' }])
    expect(looked(lost.approval, finance()).approval).toBe(lost.approval)
    const found = looked(lost.approval, directory)
    expect(found.approval.unreachable).toMatchObject({ over: true })
    expect(noticesOf(found.approval, found.events)).toEqual([])
    expect(looked(found.approval, finance('bo')).events).toHaveLength(1)
    // Nothing about who may answer, or by when, has changed.
    const { unreachable: _, revision: __, changedAt: ___, ...rest } = lost.approval
    expect(approval).toMatchObject(rest)
  },
)

promise.each(
  ['CS-UNREACH-1'],
  'what is missing',
  [
    ['no person', twoFinance, [], 'finance needs 2, no eligible approver is left'],
    ['one', twoFinance, ['bo'], 'finance needs 2, only bo@example.com is left'],
    [
      'one for two groups',
      financeAndSecurity,
      ['dee'],
      'finance and security need 2 different people, only dee@example.com is left',
    ],
    [
      'a person who is named',
      asks({ approvers: [{ group: 'finance' }, { email: 'uma@example.com' }] }),
      [],
      'finance or uma@example.com is asked, and no eligible approver is left',
    ],
  ] as const,
  (_, requirement, left, says) => {
    const approval = asked({
      requirements: [requirement as Requirement],
      directory: {
        ...directory,
        groups: {
          ...directory.groups,
          security: { emails: ['cy@example.com', 'dee@example.com'] },
        },
      },
    })
    const known = { ...finance(...left), approvers: [] }
    const groups = { ...known.groups, security: { emails: ['dee@example.com'] } }
    expect(looked(approval, { ...known, groups }).approval.unreachable?.says).toBe(says)
  },
)

promise(
  ['CS-UNREACH-1'],
  'a lock counts when it lasts until the deadline, a removal always',
  () => {
    const approval = asked({ requirements: [twoFinance] })
    const three = finance('ana', 'bo')
    const said = (...locks: Lock[]) => looked(approval, three, locks).approval.unreachable?.says
    const only = 'finance needs 2, only bo@example.com is left'
    expect(said()).toBeUndefined()
    expect(said(lockOf('ana'))).toBe(only)
    expect(said(lockOf('ana', { removed: true }))).toBe(only)
    expect(said(lockOf('ana', { until: approval.decideBy }))).toBe(only)
    expect(said(lockOf('ana', { until: approval.decideBy - 1 }))).toBeUndefined()
  },
)

test('nothing is noted of what is over', () => {
  const over = accepted(step(asked({ requirements: [twoFinance] }), no(ana), soon)).approval
  const looking = send('reach', { directory: finance() })
  expect(outcome(step(over, looking, soon))).toBe('denied')
})
