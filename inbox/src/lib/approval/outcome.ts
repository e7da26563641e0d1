/** What became of a call, in sentences: whether it ran, who was told, and what happens next. */
import type { ApprovalCard, WireDecision } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { visibleText } from '../text/invisible-characters.ts'
import { clock, took } from '../time/clock.ts'
import { OUTCOME_WORDS, type OutcomeKind, outcomeKind } from './outcome-kind.ts'

export interface OutcomeWords {
  readonly kind: OutcomeKind
  readonly word: string
  readonly title: string
  readonly text: string
}

const INVALIDATED: Readonly<Record<string, string>> = {
  policy: 'The policy became stricter before it ran.',
  tool: 'The tool’s definition changed before it ran.',
  voter: 'A person who approved it may no longer decide.',
  restored: 'The database was restored or copied, so no old yes counts.',
  edit_refused: 'The edited call was refused before it ran.',
  revoked: 'The yes was taken back before it was used.',
}

export function outcomeOf(
  card: ApprovalCard,
  me: WirePerson | undefined,
  now: number,
): OutcomeWords {
  const kind = outcomeKind(card)
  return { kind, word: OUTCOME_WORDS[kind], ...WRITERS[kind](card, me, now) }
}

type Writer = (
  card: ApprovalCard,
  me: WirePerson | undefined,
  now: number,
) => { title: string; text: string }

const WRITERS: Readonly<Record<OutcomeKind, Writer>> = {
  waiting: ({ met, decideBy }, _, now) => {
    const left = met.need - met.have
    return {
      title: `You approved. ${left === 1 ? 'One more approval' : `${left} more approvals`} to go.`,
      text: `It runs only when all of them are given. The others have until ${clock(decideBy, now)}.`,
    }
  },
  approved: ({ useBy }, _, now) => ({
    title: 'Approved. The agent has not picked it up yet.',
    text:
      useBy === undefined
        ? 'It runs once, when the agent comes back for it.'
        : `The yes is good until ${clock(useBy, now)}. After that it lapses and nothing runs.`,
  }),
  running: ({ outcome }, _, now) => ({
    title: 'Running now.',
    text: `${outcome ? `Started ${clock(outcome.claimedAt, now)}. ` : ''}It can’t be approved or started a second time.`,
  }),
  succeeded: (card) => ({ title: `${ran(card)} succeeded.`, text: howLong(card) }),
  failed: (card) => ({
    title: `${ran(card)} failed.`,
    text: `${howLong(card)} This approval is spent; the agent must ask again.`,
  }),
  unknown: ({ outcome }, _, now) => ({
    title: 'It was started. Its outcome is unknown.',
    text: `${outcome ? `It was claimed at ${clock(outcome.claimedAt, now)}, and no result came back. ` : ''}Countersign won’t start it again. Check what it did, then write down what you found.`,
  }),
  denied: (card, me) => {
    const no = lastWith(card.decisions, 'deny')
    const told =
      no?.answer !== undefined
        ? `The agent got the answer: ${quote(visibleText(no.answer))}`
        : no?.reason !== undefined && no.reason !== ''
          ? `The agent was told: ${quote(visibleText(no.reason))}`
          : 'The agent was told.'
    return {
      title: `Denied${no ? ` by ${who(no.by, me)}${forWhom(no, me)}` : ''}. It did not run.`,
      text: `${told} ${remembered(card)}`,
    }
  },
  expired: ({ decideBy }, _, now) => ({
    title: 'Expired. It did not run.',
    text: `Time ran out at ${clock(decideBy, now)} and the agent was told.`,
  }),
  unused: ({ useBy }, _, now) => ({
    title: 'The yes was never used. It did not run.',
    text: `${useBy === undefined ? 'It' : `It was good until ${clock(useBy, now)} and`} lapsed; the agent must ask again.`,
  }),
  withdrawn: () => ({
    title: 'Withdrawn. The agent no longer needs it.',
    text: 'It did not run, and nothing is left to decide.',
  }),
  invalidated: ({ reason }) => ({
    title: 'The approval became void. It did not run.',
    text: `${INVALIDATED[reason ?? ''] ?? 'It no longer counts.'} The agent was told.`,
  }),
}

const ran = ({ outcome }: ApprovalCard) =>
  outcome?.resolvedBy === undefined ? 'It ran once and' : 'A person checked: it'

function howLong({ outcome }: ApprovalCard): string {
  if (outcome?.resolvedBy !== undefined)
    return `${who(outcome.resolvedBy, undefined)} wrote down what happened.`
  if (outcome?.endedAt === undefined) return ''
  return `Took ${took(outcome.endedAt - outcome.claimedAt)}. The agent has the result.`
}

function lastWith(decisions: readonly WireDecision[], verdict: WireDecision['verdict']) {
  return decisions.findLast((one) => one.verdict === verdict && one.void !== true)
}

export function who(person: WirePerson, me: WirePerson | undefined): string {
  if (me !== undefined && person.issuer === me.issuer && person.subject === me.subject) return 'you'
  return visibleText(person.name ?? person.email ?? person.subject)
}

/** In whose place it was said. */
function forWhom({ for: absent }: WireDecision, me: WirePerson | undefined): string {
  return absent === undefined ? '' : ` for ${absent.map((one) => who(one, me)).join(' and ')}`
}

/** For a person whose click came too late: who was first, and that the click did nothing. */
export function beatenBy(card: ApprovalCard, me: WirePerson | undefined, clicked: number): string {
  const first = card.decisions.findLast(({ void: isVoid }) => isVoid !== true)
  if (first === undefined) return 'Your click came too late and recorded nothing.'
  const seconds = Math.round((clicked - first.at) / 1_000)
  const ahead = seconds >= 1 && seconds < 600 ? `${took(seconds * 1_000)} before you` : 'before you'
  return `${sentenceStart(who(first.by, me))} decided ${ahead.replace('.0 s', ' s')}. Your click recorded nothing.`
}

/** Only our own word is changed: a name or an address is written as its owner writes it. */
export const sentenceStart = (name: string) => (name === 'you' ? 'You' : name)

/** Ends as it is: a text that has its own full stop gets no second one. */
const quote = (text: string) => (/[.!?]$/.test(text) ? `“${text}”` : `“${text}”.`)

function remembered({ lifted }: ApprovalCard): string {
  return lifted
    ? 'It was lifted: the same call in this run asks again.'
    : 'The same call in this run gets the same answer for as long as the policy remembers a no.'
}
