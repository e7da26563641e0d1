import { expect, test } from 'vitest'
import {
  accepted,
  after,
  ana,
  asked,
  DIGEST,
  eve,
  HOUR,
  kim,
  MINUTE,
  NOON,
  no,
  outcome,
  root,
  send,
  uma,
  yes,
} from '../../../test/approval/asking.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Approval } from '../approval.ts'
import { step } from '../step.ts'
import { MAX_COMMENTS, MAX_QUESTIONS, openQuestions } from '../talk.ts'

const pending = asked()
const AGENT = { agent: pending.call.agent }
const text = 'What is it for?'

function questioned(approval: Approval = pending): Approval {
  return after(approval, send('question', { by: kim, text }))
}

promise(['CS-TALK-1'], 'a question leaves the call pending, and any answer counts', () => {
  const transition = accepted(step(pending, send('question', { by: kim, text }), NOON + MINUTE))
  const { approval, events, content } = transition
  expect(approval).toMatchObject({ status: 'pending', digest: DIGEST, decideBy: pending.decideBy })
  expect(openQuestions(approval)).toMatchObject([{ kind: 'question', at: NOON + MINUTE }])
  expect(events).toMatchObject([{ type: 'questioned', status: 'pending' }])
  // The words are content, and the event names them by key alone.
  expect(content).toEqual([{ key: 'apr-1/2/remark', kind: 'remark', value: text }])
  expect(JSON.stringify([approval, events])).not.toContain(text)
  expect(after(approval, yes(kim)).status).toBe('approved')
  expect(after(approval, no(kim)).status).toBe('denied')
})

promise.each(
  ['CS-TALK-1'],
  'a question gives time as far as extending does',
  [
    ['in time', NOON + 2 * HOUR, 'pending'],
    ['too late', NOON + 2 * HOUR + 1, 'extend_too_long'],
    ['earlier', NOON + 1, 'extend_too_long'],
  ] as const,
  (_, until, result) => {
    const transition = step(pending, send('question', { by: kim, text, until }), NOON)
    expect(outcome(transition)).toBe(result)
    expect(transition.approval?.decideBy).toBe(transition.ok ? until : undefined)
    const types = transition.events.map(({ type }) => type)
    expect(types).toEqual(transition.ok ? ['extended', 'questioned'] : [])
  },
)

promise.each(
  ['CS-TALK-5'],
  'who may ask back',
  [
    ['someone asked', kim, 'pending'],
    ['an admin', root, 'pending'],
    ['a stranger', eve, 'not_permitted'],
    ['the acting user', uma, 'not_permitted'],
    ['a locked approver', { ...kim, locked: true }, 'not_permitted'],
    ['a locked admin', { ...kim, roles: ['admin'], locked: true }, 'not_permitted'],
  ] as const,
  (_, by, result) => {
    expect(outcome(step(pending, send('question', { by, text }), NOON))).toBe(result)
  },
)

promise.each(
  ['CS-TALK-3', 'CS-TALK-2'],
  'who may reply, and that it decides nothing',
  [
    ['the agent that asked', AGENT, 'pending'],
    ['another agent', { agent: 'other-bot' }, 'not_the_asker'],
    ['the acting user', { person: uma }, 'pending'],
    ['a locked acting user', { person: { ...uma, locked: true } }, 'not_the_asker'],
    ['an approver', { person: kim }, 'not_the_asker'],
    ['an admin', { person: root }, 'not_the_asker'],
  ] as const,
  (_, by, result) => {
    const before = questioned()
    const transition = step(before, send('reply', { by, text: 'yes, approve it' }), NOON + MINUTE)
    expect(outcome(transition)).toBe(result)
    if (!transition.ok) return
    const { talk: _talk, revision: _revision, changedAt: _changed, ...rest } = transition.approval
    const { talk: _t, revision: _r, changedAt: _c, ...was } = before
    expect(rest).toEqual(was)
    expect(openQuestions(transition.approval)).toEqual([])
  },
)

promise(['CS-TALK-3'], 'a reply needs a question that is open', () => {
  const reply = () => send('reply', { by: AGENT, text: 'for rent' })
  expect(outcome(step(pending, reply(), NOON))).toBe('not_asked')
  const replied = after(questioned(), reply())
  expect(outcome(step(replied, reply(), NOON))).toBe('not_asked')
  expect(openQuestions(questioned(replied))).toHaveLength(1)
  expect(outcome(step(after(questioned(), yes(kim)), reply(), NOON))).toBe('already_decided')
})

promise(['CS-TALK-3'], 'a locked agent says nothing', () => {
  const lock = { id: 'l', target: { agent: AGENT.agent }, reason: 'x', by: 'root', at: NOON }
  const reply = send('reply', { by: AGENT, text: 'for rent' })
  const transition = step(questioned(), reply, NOON, { locks: [lock as never] })
  expect(outcome(transition)).toBe('locked')
})

promise.each(
  ['CS-TALK-5'],
  'who may comment',
  [
    ['someone asked', kim, 'pending'],
    ['the acting user', uma, 'pending'],
    ['an admin', root, 'pending'],
    ['a stranger', eve, 'not_permitted'],
    ['a locked approver', { ...kim, locked: true }, 'not_permitted'],
    ['a locked acting user', { ...uma, locked: true }, 'not_permitted'],
  ] as const,
  (_, by, result) => {
    expect(outcome(step(pending, send('comment', { by, text }), NOON))).toBe(result)
  },
)

test('a comment may follow a yes, and nothing is said about what is over', () => {
  const [approved, denied] = [after(pending, yes(kim)), after(pending, no(kim))]
  expect(step(approved, send('comment', { by: kim, text }), NOON).ok).toBe(true)
  expect(step(approved, send('question', { by: kim, text }), NOON).ok).toBe(false)
  expect(step(denied, send('comment', { by: kim, text }), NOON).ok).toBe(false)
  expect(step(denied, send('question', { by: kim, text }), NOON).ok).toBe(false)
})

promise(['CS-TALK-5'], 'there is an end to questions and comments', () => {
  let approval = pending
  for (let n = 0; n < MAX_QUESTIONS; n += 1) approval = questioned(approval)
  expect(outcome(step(approval, send('question', { by: kim, text }), NOON))).toBe('too_much_said')
  for (let n = 0; n < MAX_COMMENTS; n += 1) {
    approval = after(approval, send('comment', { by: kim, text }))
  }
  expect(outcome(step(approval, send('comment', { by: kim, text }), NOON))).toBe('too_much_said')
  // A record that is full is still decided.
  expect(after(approval, yes(kim)).status).toBe('approved')
})

test.each([
  ['', 'empty'],
  [' \n', 'blank'],
  ['x'.repeat(4_097), 'too long'],
  ['\0', 'NUL'],
])('a text that is none is refused: %#', (bad) => {
  for (const type of ['question', 'comment'] as const) {
    expect(outcome(step(pending, send(type, { by: kim, text: bad }), NOON))).toBe('invalid_command')
  }
})

promise(
  ['CS-TALK-6'],
  'assigning tells who is to answer, and takes nothing from the others',
  () => {
    const assigned = after(pending, send('assign', { by: kim, to: ana }))
    expect(assigned.assigned).toMatchObject({ to: { subject: 'ana' }, email: 'ana@example.com' })
    expect(after(assigned, yes(kim)).status).toBe('approved')
    const again = step(assigned, send('assign', { by: kim, to: ana }), NOON)
    expect(accepted(again).approval).toBe(assigned)
    const no_one = after(assigned, send('assign', { by: kim }))
    expect(no_one.assigned?.to).toBeUndefined()
  },
)

promise.each(
  ['CS-TALK-6'],
  'whom it can be assigned to',
  [
    ['a stranger', eve],
    ['the acting user', uma],
    ['a locked approver', { ...ana, locked: true }],
  ] as const,
  (_, to) => {
    expect(outcome(step(pending, send('assign', { by: kim, to }), NOON))).toBe('not_an_approver')
  },
)
