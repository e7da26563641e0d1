import type { Approval } from '../../approval/approval.ts'
import { type PersonName, verifiedEmail } from '../../approval/people/person.ts'
import type { Progress } from '../../approval/people/quorum-progress.ts'
import type { RemarkKind } from '../../approval/talk.ts'
import {
  type Content,
  isQuestion,
  type NoticeDraft,
  type NoticeKind,
} from '../../approval/transition.ts'
import { foldAddress } from '../../base/address.ts'
import { shownRisk } from '../../base/call.ts'
import { markedMessage } from '../../base/message-parts.ts'
import type { Approver } from '../../base/oversight.ts'
import type { Deputy } from '../admin/stand-ins.ts'
import { remarkText } from '../content/asked-back.ts'
import { type Question, questionOf } from '../content/stored-content.ts'
import type { Added, Decider, Notice, NoticeApproval, StoodIn } from './channel.ts'

/** What a notice says now. A question that is over is no longer asked: undefined then. */
export function noticeOf(
  draft: NoticeDraft,
  approval: Approval,
  content: readonly Content[],
  { now, deputies = [], admins = [], met, decidedBy = [] }: Moment,
): Notice | undefined {
  const { id, kind, at } = draft
  const question = isQuestion(kind)
  const { unreachable } = approval
  const isStranded = kind === 'unreachable'
  const isOver = approval.status !== 'pending' || now >= approval.decideBy
  if (isOver && (question || isStranded)) return undefined
  // The question got an eligible approver before the notice was sent.
  if (isStranded && (!unreachable || unreachable.over)) return undefined
  const added = kind === 'escalated' ? addedAt(approval, at) : []
  const named = added.length > 0 ? unique(added.map(({ to }) => to)) : namedIn(kind, approval)
  const stand = question ? deputies.flatMap((one) => stoodIn(one, named)) : []
  return {
    id,
    kind,
    question,
    at,
    to: unique([...(isStranded ? addresses(admins) : []), ...named, ...stand.map(({ to }) => to)]),
    ...(stand.length > 0 ? { standIns: stand } : {}),
    ...(isStranded && unreachable
      ? { unreachable: { rule: unreachable.rule, says: unreachable.says } }
      : {}),
    ...saidIn(draft, approval, content),
    ...(kind === 'reminded' ? { reminder: approval.reminders } : {}),
    ...(added.length > 0 ? { added } : {}),
    approval: {
      ...told(approval, questionOf(content)),
      ...(met && !isOver ? { met } : {}),
      ...(decidedBy.length > 0 ? { decidedBy } : {}),
    },
  }
}

/** Who hears of it, before stand-ins and admins. */
function namedIn(kind: NoticeKind, approval: Approval): readonly Approver[] {
  const { assigned } = approval
  switch (kind) {
    case 'assigned':
      return assigned?.email === undefined ? [] : [{ email: assigned.email }]
    case 'questioned':
      return own(approval)
    case 'commented':
      return unique([...asked(approval), ...own(approval)])
    default:
      return isQuestion(kind) ? asked(approval) : own(approval)
  }
}

const REMARKS: Partial<Readonly<Record<NoticeKind, RemarkKind>>> = {
  questioned: 'question',
  replied: 'reply',
  commented: 'comment',
}

function saidIn(
  { kind, revision }: NoticeDraft,
  { id, talk = [] }: Approval,
  content: readonly Content[],
): Pick<Notice, 'said'> {
  // By its revision: two people can write in the same millisecond.
  const key = `${id}/${revision}/remark`
  const remark = talk.findLast((one) => one.kind === REMARKS[kind] && one.content === key)
  if (!remark) return {}
  const text = remarkText(content, remark)
  const by = remark.by ? 'person' : 'agent'
  return { said: { by, ...(text === undefined ? {} : { text }) } }
}

/** What is true when it is sent. */
export interface Moment {
  readonly now: number
  /** Those who may answer this one for an absent approver. */
  readonly deputies?: readonly Deputy[]
  readonly admins?: readonly PersonName[]
  readonly met?: Progress | undefined
  readonly decidedBy?: readonly Decider[]
}

/** Only a stand-in with an address can be told, and only in place of an approver who is told. */
function stoodIn({ person, absent }: Deputy, named: readonly Approver[]): StoodIn[] {
  const [to, away] = [verifiedEmail(person), verifiedEmail(absent)]
  const isTold = named.some(
    (one) =>
      one !== '*' &&
      ('group' in one ? absent.groups.includes(one.group) : foldAddress(one.email) === away),
  )
  if (to === undefined || !isTold) return []
  return [{ to: { email: to }, for: { email: away ?? absent.subject } }]
}

/** Every approver whose yes could count now: those named, and those added by escalation. */
function asked({ requirements, escalated }: Approval): readonly Approver[] {
  const named = requirements.flatMap(({ approvers, quorum }) => [
    ...approvers,
    ...quorum.map(({ group }) => ({ group })),
  ])
  const more = escalated.flatMap(
    ({ requirement, step }) => requirements[requirement]?.escalate[step]?.to ?? [],
  )
  return unique([...named, ...more])
}

function addedAt({ requirements, escalated }: Approval, at: number): Added[] {
  return escalated
    .filter((one) => one.at === at)
    .flatMap(({ requirement, step }) => {
      const source = requirements[requirement]
      const taken = source?.escalate[step]
      if (!source || !taken) return []
      const { to, for: place, after } = taken
      return [{ to, ...(place === undefined ? {} : { for: place }), after, rule: source.rule }]
    })
}

/** The requester's side: who waits for the outcome. */
function own({ call: { principal, requester } }: Approval): readonly Approver[] {
  return unique(addresses([principal, requester]))
}

function addresses(people: readonly (PersonName | undefined)[]): readonly Approver[] {
  return people.flatMap((person) => person?.email ?? []).map((email) => ({ email }))
}

function unique(approvers: readonly Approver[]): readonly Approver[] {
  return [...new Map(approvers.map((one) => [JSON.stringify(one), one])).values()]
}

function told(
  { call, execution, ...approval }: Approval,
  question: Question | undefined,
): NoticeApproval {
  const { id, revision, status, reason, level, askedAt, decideBy } = approval
  const { kind, tool, server, agent, alias, principal, run } = call
  return {
    id,
    revision,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(execution ? { execution: execution.state } : {}),
    level,
    kind,
    tool,
    ...(server === undefined ? {} : { server }),
    ...shownRisk(call),
    agent: alias ?? agent,
    ...(principal ? { principal: nameOf(principal) } : {}),
    ...(run === undefined ? {} : { run }),
    message: markedMessage(question?.message ?? '', question?.values),
    ...(question?.authored ? { authored: true } : {}),
    askedAt,
    decideBy,
  }
}

function nameOf({ email, subject }: PersonName): string {
  return email ?? subject
}
