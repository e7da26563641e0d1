import type { ApprovalRow } from '../../api/approval.ts'
import type { WirePerson } from '../../api/common.ts'
import type { WireLocked } from '../../api/locks.ts'
import type { Approval } from '../../approval/approval.ts'
import { isOpen } from '../../approval/clock.ts'
import { lockOnApproval, targetWords } from '../../approval/locks/lock.ts'
import { type Person, type PersonId, samePerson } from '../../approval/people/person.ts'
import { metOf } from '../../approval/people/quorum-progress.ts'
import { type Shortage, shortageOf } from '../../approval/people/requirement.ts'
import { shownRisk } from '../../base/call.ts'
import { given } from '../../base/json/json.ts'
import { cutRanges } from '../../base/message-parts.ts'
import type { Question } from '../../gate/content/stored-content.ts'
import { type Locked, mine, NOTHING_LOCKED } from './permissions.ts'
import { countedAnswers, stateOf } from './state.ts'
import { talkRow } from './talk.ts'

interface RowParts {
  readonly locked?: Locked
  readonly nameOf: (person: PersonId) => WirePerson
}

/** What the list and the card say of it, for one reader. */
export function rowOf(
  approval: Approval,
  question: Pick<Question, 'message' | 'values'> | undefined,
  reader: Person,
  { locked = NOTHING_LOCKED, nameOf }: RowParts,
): ApprovalRow {
  const { call } = approval
  const shortage = unreachable(approval, locked)
  const { kind, tool, server, door, agent, alias, principal, run, batch } = call
  return {
    ...stateOf(approval),
    ...decidersOf(approval, nameOf),
    level: approval.level,
    kind,
    tool,
    door,
    ...shownRisk(call),
    ...given({ server, principal: principal?.email ?? principal?.subject }),
    agent: alias ?? agent,
    message: question?.message ?? '',
    ...given({ values: question?.values }),
    ...given({ run, batch }),
    askedAt: approval.askedAt,
    met: metOf(approval, locked),
    ...talkRow(approval),
    mine: mine(approval, reader, locked),
    ...given({
      locked: wireLocked(approval, locked),
      unreachable: shortage?.rule,
      unreachableWhy: shortage?.says,
    }),
  }
}

function decidersOf(approval: Approval, nameOf: RowParts['nameOf']) {
  const by = countedAnswers(approval).map((one) => one.by)
  const each = by.filter((one, at) => by.findIndex((other) => samePerson(one, other)) === at)
  return each.length === 0 ? {} : { deciders: each.map(nameOf) }
}

/** Characters of a text in the list; agents choose how long a question is, and inboxes poll. */
const LISTED_TEXT = 500

/** The row as a list carries it: long texts are cut, and stand whole on the card. */
export function listedRow(row: ApprovalRow): ApprovalRow {
  const { message, values, unreachableWhy } = row
  return {
    ...row,
    message: shortened(message),
    ...given({ values: values && cutRanges(values, LISTED_TEXT) }),
    ...given({ unreachableWhy: unreachableWhy && shortened(unreachableWhy) }),
  }
}

function shortened(text: string): string {
  if (text.length <= LISTED_TEXT) return text
  // Half a surrogate pair is no text.
  return `${text.slice(0, LISTED_TEXT).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Without an open end: people who may still come are not counted out. */
export function unreachable(
  approval: Approval,
  { locks, directory }: Locked,
): Shortage | undefined {
  if (approval.status !== 'pending' || !directory) return undefined
  return shortageOf(approval, directory, locks)
}

function wireLocked(approval: Approval, { locks, now }: Locked): WireLocked | undefined {
  const lock = isOpen(approval) ? lockOnApproval(locks, approval, now) : undefined
  if (!lock) return undefined
  const { id, target, reason, by, at, until } = lock
  return { id, words: targetWords(target), reason, by, at, ...given({ until }) }
}
