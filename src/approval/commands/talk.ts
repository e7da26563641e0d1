import type { Approval } from '../approval.ts'
import { isOpen } from '../clock.ts'
import type { Assign, Comment, Question, Reply } from '../command.ts'
import { type Lock, lockedBecause } from '../locks/lock.ts'
import { type Person, personId, samePerson, verifiedEmail } from '../people/person.ts'
import { isEligible } from '../people/quorum.ts'
import {
  MAX_COMMENTS,
  MAX_QUESTIONS,
  openQuestions,
  type Remark,
  type RemarkKind,
} from '../talk.ts'
import {
  byPerson,
  change,
  contentOf,
  type Draft,
  keysOf,
  type Outcome,
  refuse,
  UNCHANGED,
} from '../transition.ts'
import { refuseClosed } from './closed.ts'
import { extend, isOwn, mayManage } from './upkeep.ts'

/** An approver asks the asker something. The call stays as it is, and waits longer where wanted. */
export function question(approval: Approval, command: Question, now: number): Outcome {
  const { by, text, until } = command
  if (approval.status !== 'pending') return refuseClosed(approval)
  if (!mayManage(approval, by)) {
    return refuse('not_permitted', 'only someone asked, or an admin, asks back')
  }
  if (counted(approval, 'question') >= MAX_QUESTIONS) {
    return refuse('too_much_said', `an approval has at most ${MAX_QUESTIONS} questions`)
  }
  const longer =
    until === undefined ? UNCHANGED : extend(approval, { ...command, type: 'extend', until })
  if (!longer.ok) return longer
  return said(approval, 'question', { by: personId(by), text }, now, {
    changes: longer.changes,
    drafts: [...(longer.drafts ?? []), { type: 'questioned', ...byPerson(by) }],
  })
}

/** The asker's words, to everything asked so far. Nothing about the call changes. */
export function reply(
  approval: Approval,
  { by, text }: Reply,
  now: number,
  lock: Lock | undefined,
): Outcome {
  const isAsker =
    'agent' in by
      ? by.agent === approval.call.agent
      : !by.person.locked && isOwn(approval, by.person)
  if (!isAsker) return refuse('not_the_asker', 'only the asker or the acting user replies')
  if (approval.status !== 'pending') return refuseClosed(approval)
  if (lock && 'agent' in by) return refuse('locked', lockedBecause(lock))
  if (openQuestions(approval).length === 0) {
    return refuse('not_asked', `approval ${approval.id} has no open question`)
  }
  const actor = 'agent' in by ? { by } : byPerson(by.person)
  const person = 'agent' in by ? {} : { by: personId(by.person) }
  return said(approval, 'reply', { ...person, text }, now, {
    drafts: [{ type: 'replied', ...actor }],
  })
}

/** A note of one person to the others, as long as there is something to decide or to use. */
export function comment(approval: Approval, { by, text }: Comment, now: number): Outcome {
  if (by.locked || !(mayManage(approval, by) || isOwn(approval, by))) {
    return refuse('not_permitted', 'only someone concerned comments on it')
  }
  if (!isOpen(approval)) return refuseClosed(approval)
  if (counted(approval, 'comment') >= MAX_COMMENTS) {
    return refuse('too_much_said', `an approval has at most ${MAX_COMMENTS} comments`)
  }
  return said(approval, 'comment', { by: personId(by), text }, now, {
    drafts: [{ type: 'commented', ...byPerson(by) }],
  })
}

/** Says who is to answer. No other person loses or gains a say by it. */
export function assign(approval: Approval, { by, to }: Assign, now: number): Outcome {
  if (approval.status !== 'pending') return refuseClosed(approval)
  if (!mayManage(approval, by)) return refuse('not_permitted', 'only someone asked, or an admin')
  const { assigned } = approval
  if (to === undefined) {
    if (assigned?.to === undefined) return UNCHANGED
    return change({ assigned: { by: personId(by), at: now } }, [
      { type: 'assigned', ...byPerson(by), facts: {} },
    ])
  }
  if (to.locked || !isEligible(approval, to)) {
    return refuse('not_an_approver', 'it can only be assigned to a person whose yes would count')
  }
  if (assigned?.to && samePerson(assigned.to, to)) return UNCHANGED
  const email = verifiedEmail(to)
  const { issuer, subject } = to
  return change(
    {
      assigned: {
        to: { issuer, subject },
        ...(email === undefined ? {} : { email }),
        by: personId(by),
        at: now,
      },
    },
    [{ type: 'assigned', ...byPerson(by), facts: { to: [issuer, subject] } }],
  )
}

function counted({ talk = [] }: Approval, kind: RemarkKind): number {
  return talk.filter((one) => one.kind === kind).length
}

interface Said {
  readonly by?: Remark['by']
  readonly text: string
}

interface Besides {
  readonly changes?: Partial<Approval> | undefined
  readonly drafts: readonly Draft[]
}

function said(
  approval: Approval,
  kind: RemarkKind,
  { by, text }: Said,
  at: number,
  { changes, drafts }: Besides,
): Outcome {
  const content = contentOf(approval, 'remark', text)
  const { content: [key = ''] = [] } = keysOf(content)
  const remark: Remark = { kind, ...(by ? { by } : {}), at, content: key }
  const last = drafts.length - 1
  return change(
    { ...changes, talk: [...(approval.talk ?? []), remark] },
    // The text belongs to the last of them: what comes before is another change made with it.
    drafts.map((draft, index) => (index === last ? { ...draft, content: [key] } : draft)),
    content,
  )
}

/** Whether this person may ask the asker something, for display. */
export function mayAskBack(approval: Approval, person: Person): boolean {
  return approval.status === 'pending' && mayManage(approval, person)
}

export function mayComment(approval: Approval, person: Person): boolean {
  return (
    isOpen(approval) && !person.locked && (mayManage(approval, person) || isOwn(approval, person))
  )
}

export function mayReply(approval: Approval, person: Person): boolean {
  return !person.locked && isOwn(approval, person) && openQuestions(approval).length > 0
}
