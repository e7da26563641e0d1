import { expect, test } from 'vitest'
import {
  accepted,
  after,
  allowed,
  ana,
  anyApprover,
  asked,
  asks,
  bo,
  confirmation,
  cy,
  DIGEST,
  dee,
  editTo,
  forbidden,
  kim,
  MINUTE,
  NOON,
  no,
  OTHER,
  outcome,
  policyOf,
  SECOND,
  someone,
  THIRD,
  terms,
  twoFinance,
  uma,
  yes,
} from '../../../test/approval/asking.ts'
import type { Request } from '../command.ts'
import { step } from '../step.ts'

test('an edit keeps the id and what was asked, and gets a new digest', () => {
  const approval = asked({ requirements: [twoFinance] })
  const edit = editTo(OTHER, { answer: policyOf([twoFinance]) })
  const {
    approval: edited,
    events,
    content,
  } = accepted(step(approval, yes(ana, { edit }), NOON + MINUTE))
  expect(edited).toMatchObject({
    id: approval.id,
    status: 'pending',
    digest: OTHER,
    askedDigest: DIGEST,
    edited: [['amount']],
    decideBy: approval.decideBy,
  })
  expect(edited.decisions).toMatchObject([{ digest: OTHER, seen: DIGEST, verdict: 'approve' }])
  expect(events).toMatchObject([{ type: 'edited', digest: OTHER, facts: { from: DIGEST } }])
  expect(content.map(({ kind }) => kind)).toEqual(['arguments', 'question'])
})

test('an edit voids earlier yeses but keeps them, and the editor is the first', () => {
  const once = after(asked({ requirements: [twoFinance] }), yes(ana))
  const edit = editTo(OTHER, { answer: policyOf([twoFinance]) })
  const edited = after(once, yes(bo, { edit }))
  expect(edited.status).toBe('pending')
  expect(edited.decisions.map((one) => [one.by.subject, one.digest, one.void])).toEqual([
    ['ana', DIGEST, true],
    ['bo', OTHER, undefined],
  ])
  expect(outcome(step(edited, yes(ana), NOON + MINUTE))).toBe('call_changed')
  expect(after(edited, yes(ana, { seen: OTHER })).status).toBe('approved')
})

test('an editor who suffices alone approves the edited call', () => {
  const { status, digest } = after(asked(), yes(kim, { edit: editTo(OTHER) }))
  expect([status, digest]).toEqual(['approved', OTHER])
})

test('editing there and back does not revive a voided yes', () => {
  const quorum = asks({ quorum: [{ group: 'finance', n: 3 }] })
  const answer = policyOf([quorum])
  const there = after(
    asked({ requirements: [quorum] }),
    yes(ana),
    yes(bo, { edit: editTo(OTHER, { answer }) }),
    yes(dee, { seen: OTHER, edit: editTo(DIGEST, { answer }) }),
    yes(bo),
  )
  expect(there.status).toBe('pending')
  const again = after(there, yes(ana))
  expect(again.status).toBe('approved')
  const pairs = again.decisions.map(({ by, digest }) => `${by.subject} ${digest}`)
  expect(new Set(pairs).size).toBe(pairs.length)
})

test('the same edit sent twice is one edit', () => {
  const edit = editTo(OTHER, { answer: policyOf([twoFinance]) })
  const edited = after(asked({ requirements: [twoFinance] }), yes(ana, { edit }))
  expect(accepted(step(edited, yes(ana, { edit }), NOON + MINUTE)).approval).toBe(edited)
})

test('requirements merge and never shrink', () => {
  const rule = asks({
    source: 'governance',
    rule: 'governance.big',
    approvers: [{ group: 'security' }],
  })
  const edit = editTo(OTHER, {
    answer: policyOf([anyApprover, rule], {
      minAssurance: 'signed-in',
      reason: 'required',
      useBy: MINUTE,
      decideBy: 10 * MINUTE,
      grants: false,
    }),
  })
  const approval = asked()
  const edited = after(approval, yes(kim, { edit }))
  expect(edited.status).toBe('pending')
  expect(edited.requirements).toEqual([anyApprover, rule])
  expect(edited.decideBy).toBe(approval.decideBy)
  expect(edited.terms).toMatchObject({
    useBy: MINUTE,
    minAssurance: 'signed-in',
    reason: 'required',
    grants: false,
  })
  const back = after(edited, yes(ana, { seen: OTHER, edit: editTo(THIRD, { answer: allowed }) }))
  expect(back.requirements).toEqual([anyApprover, rule])
  expect(back.status).toBe('pending')
  expect(after(back, yes(cy, { seen: THIRD })).status).toBe('approved')
})

test('an edit may turn a confirm into a review, and then the acting user is not enough', () => {
  const approval = asked({ requirements: [confirmation] })
  const edited = after(approval, yes(uma, { edit: editTo(OTHER) }))
  expect(edited).toMatchObject({ status: 'pending', level: 'review' })
  expect(after(edited, yes(kim, { seen: OTHER })).status).toBe('approved')
})

test('a requirement that comes with an edit is as old as the question', () => {
  const rule = asks({
    source: 'governance',
    rule: 'governance.old',
    approvers: [{ group: 'security' }],
    escalate: [{ after: 10 * MINUTE, to: '*' }],
  })
  const edit = editTo(OTHER, { answer: policyOf([anyApprover, rule]) })
  expect(outcome(step(asked(), yes(kim, { edit }), NOON + 9 * MINUTE))).toBe('pending')
  expect(outcome(step(asked(), yes(kim, { edit }), NOON + 10 * MINUTE))).toBe('approved')
})

const paths = (...keys: string[][]) => keys.map((path) => ({ text: path.join('.'), keys: path }))

test.each<[string, Request['terms']['edit'], Request['terms']['edit'], string[][], string]>([
  ['anything', true, true, [['a', 'b']], 'approved'],
  ['nothing', false, true, [['a']], 'edit_not_allowed'],
  ['nothing, says the edited call', true, false, [['a']], 'edit_not_allowed'],
  ['what is listed', paths(['a']), true, [['a']], 'approved'],
  ['what lies under it', paths(['a']), true, [['a', 'b']], 'approved'],
  ['not what lies above', paths(['a', 'b']), true, [['a']], 'edit_not_allowed'],
  ['any of what is listed', paths(['a'], ['c']), true, [['c']], 'approved'],
  ['nothing, whatever the edited call lists', false, paths(['a']), [['a']], 'edit_not_allowed'],
  ['nothing the edited call forbids', paths(['a']), false, [['a']], 'edit_not_allowed'],
  ['nothing beside', paths(['a']), true, [['a'], ['c']], 'edit_not_allowed'],
  ['what the edited call allows', true, paths(['a']), [['c']], 'edit_not_allowed'],
  ['what both allow', paths(['a'], ['c']), paths(['a', 'b']), [['a', 'b']], 'approved'],
  ['only what both allow', paths(['a'], ['c']), paths(['a', 'b']), [['c']], 'edit_not_allowed'],
  ['nothing where both share nothing', paths(['a']), paths(['c']), [['a']], 'edit_not_allowed'],
  ['not the arguments as a whole', paths(['a']), true, [[]], 'edit_not_allowed'],
])('an approver may change %s', (_, edit, then, changed, result) => {
  const approval = asked({ terms: { ...terms, edit } })
  const answer = policyOf([anyApprover], { edit: then })
  const command = yes(kim, { edit: editTo(OTHER, { changed, answer }) })
  expect(outcome(step(approval, command, NOON + MINUTE))).toBe(result)
})

test('what the policy denies cannot be edited in', () => {
  const command = yes(kim, { edit: editTo(OTHER, { answer: forbidden }) })
  expect(outcome(step(asked(), command, NOON + MINUTE))).toBe('edit_denied')
})

test('two people editing the same call at once: the second is told to look again', () => {
  const edited = after(asked({ requirements: [twoFinance] }), yes(ana, { edit: editTo(OTHER) }))
  expect(outcome(step(edited, yes(bo, { edit: editTo(THIRD) }), NOON + MINUTE))).toBe(
    'call_changed',
  )
})

test('an edit back and forth ends before the record overflows', () => {
  let approval = asked({
    requirements: [asks({ quorum: [{ group: 'finance', n: 100 }] })],
    directory: { groups: { finance: { claim: 'f' } }, approvers: 'open' },
  })
  let refused: string | undefined
  for (let n = 0; n < 600 && !refused; n++) {
    const person = someone(`p${n}`, { groups: ['finance'] })
    const digest = n.toString(16).padStart(64, '0')
    const edit = editTo(digest, { answer: policyOf(approval.requirements) })
    const transition = step(approval, yes(person, { seen: approval.digest, edit }), NOON + SECOND)
    if (transition.ok) approval = transition.approval
    else refused = transition.code
  }
  expect(refused).toBe('too_large')
  expect(
    after(approval, no(someone('q', { groups: ['finance'] }), { seen: approval.digest })).status,
  ).toBe('denied')
})
