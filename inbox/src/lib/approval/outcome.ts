/** What became of a call, in sentences: whether it ran, who was told, and what happens next. */

import type { ApprovalCard, WireDecision } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { andList } from '../language/language.ts'
import { type Message, msg, plural, say, t } from '../language/t.ts'
import { visibleText } from '../text/invisible-characters.ts'
import { clock, took } from '../time/clock.ts'
import { OUTCOME_WORDS, type OutcomeKind, outcomeKind } from './outcome-kind.ts'

export interface OutcomeWords {
  readonly kind: OutcomeKind
  readonly word: string
  readonly title: string
  readonly text: string
}

const INVALIDATED: Readonly<Record<string, Message>> = {
  policy: msg('The policy became stricter before it ran.'),
  tool: msg('The tool’s definition changed before it ran.'),
  voter: msg('A person who approved it may no longer decide.'),
  restored: msg('The database was restored or copied, so no old yes counts.'),
  edit_refused: msg('The edited call was refused before it ran.'),
  revoked: msg('The yes was taken back before it was used.'),
}

export function outcomeOf(
  card: ApprovalCard,
  me: WirePerson | undefined,
  now: number,
): OutcomeWords {
  const kind = outcomeKind(card)
  return { kind, word: say(OUTCOME_WORDS[kind]), ...WRITERS[kind](card, me, now) }
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
      title: plural(
        left,
        'You approved. One more approval to go.',
        'You approved. {n} more approvals to go.',
      ),
      text: t('It runs only when all of them are given. The others have until {time}.', {
        time: clock(decideBy, now),
      }),
    }
  },
  approved: ({ useBy }, _, now) => ({
    title: t('Approved. The agent has not picked it up yet.'),
    text:
      useBy === undefined
        ? t('It runs once, when the agent comes back for it.')
        : t('The yes is good until {time}. After that it lapses and nothing runs.', {
            time: clock(useBy, now),
          }),
  }),
  running: ({ outcome }, _, now) => ({
    title: t('Running now.'),
    text: [
      ...(outcome ? [t('Started {time}.', { time: clock(outcome.claimedAt, now) })] : []),
      t('It can’t be approved or started a second time.'),
    ].join(' '),
  }),
  succeeded: (card) => ({
    title: isChecked(card) ? t('A person checked: it succeeded.') : t('It ran once and succeeded.'),
    text: howLong(card),
  }),
  failed: (card) => ({
    title: isChecked(card) ? t('A person checked: it failed.') : t('It ran once and failed.'),
    text: `${howLong(card)} ${t('This approval is spent; the agent must ask again.')}`,
  }),
  unknown: ({ outcome }, _, now) => ({
    title: t('It was started. Its outcome is unknown.'),
    text: [
      ...(outcome
        ? [
            t('It was claimed at {time}, and no result came back.', {
              time: clock(outcome.claimedAt, now),
            }),
          ]
        : []),
      t('Countersign won’t start it again. Check what it did, then write down what you found.'),
    ].join(' '),
  }),
  denied: (card, me) => {
    const no = lastWith(card.decisions, 'deny')
    const told =
      no?.answer !== undefined
        ? t('The agent got the answer: {answer}', { answer: quote(visibleText(no.answer)) })
        : no?.reason !== undefined && no.reason !== ''
          ? t('The agent was told: {reason}', { reason: quote(visibleText(no.reason)) })
          : t('The agent was told.')
    return {
      title: no
        ? t('Denied by {who}. It did not run.', { who: `${who(no.by, me)}${forWhom(no, me)}` })
        : t('Denied. It did not run.'),
      text: `${told} ${remembered(card)}`,
    }
  },
  expired: ({ decideBy }, _, now) => ({
    title: t('Expired. It did not run.'),
    text: t('Time ran out at {time} and the agent was told.', { time: clock(decideBy, now) }),
  }),
  unused: ({ useBy }, _, now) => ({
    title: t('The yes was never used. It did not run.'),
    text:
      useBy === undefined
        ? t('It lapsed; the agent must ask again.')
        : t('It was good until {time} and lapsed; the agent must ask again.', {
            time: clock(useBy, now),
          }),
  }),
  withdrawn: () => ({
    title: t('Withdrawn. The agent no longer needs it.'),
    text: t('It did not run, and nothing is left to decide.'),
  }),
  invalidated: ({ reason }) => ({
    title: t('The approval became void. It did not run.'),
    text: `${whyVoid(reason)} ${t('The agent was told.')}`,
  }),
}

function whyVoid(reason = ''): string {
  const why = Object.hasOwn(INVALIDATED, reason) ? INVALIDATED[reason] : undefined
  return why === undefined ? t('It no longer counts.') : say(why)
}

const isChecked = ({ outcome }: ApprovalCard) => outcome?.resolvedBy !== undefined

function howLong({ outcome }: ApprovalCard): string {
  if (outcome?.resolvedBy !== undefined)
    return t('{who} wrote down what happened.', { who: who(outcome.resolvedBy, undefined) })
  if (outcome?.endedAt === undefined) return ''
  return t('Took {time}. The agent has the result.', {
    time: took(outcome.endedAt - outcome.claimedAt),
  })
}

function lastWith(decisions: readonly WireDecision[], verdict: WireDecision['verdict']) {
  return decisions.findLast((one) => one.verdict === verdict && one.void !== true)
}

export function who(person: WirePerson, me: WirePerson | undefined): string {
  if (me !== undefined && person.issuer === me.issuer && person.subject === me.subject)
    return t('you')
  return visibleText(person.name ?? person.email ?? person.subject)
}

/** In whose place it was said. */
function forWhom({ for: absent }: WireDecision, me: WirePerson | undefined): string {
  return absent === undefined
    ? ''
    : ` ${t('for {names}', { names: andList(absent.map((one) => who(one, me))) })}`
}

/** For a person whose click came too late: who was first, and that the click did nothing. */
export function beatenBy(card: ApprovalCard, me: WirePerson | undefined, clicked: number): string {
  const first = card.decisions.findLast(({ void: isVoid }) => isVoid !== true)
  if (first === undefined) return t('Your click came too late and recorded nothing.')
  const seconds = Math.round((clicked - first.at) / 1_000)
  const by = sentenceStart(who(first.by, me))
  if (seconds < 1 || seconds >= 600) {
    return t('{by} decided before you. Your click recorded nothing.', { by })
  }
  const time = took(seconds * 1_000).replace(/[.,]0 s/, ' s')
  return t('{by} decided {time} before you. Your click recorded nothing.', { by, time })
}

/** Only our own word is changed: a name or an address is written as its owner writes it. */
export const sentenceStart = (name: string) => (name === t('you') ? t('You') : name)

/** Ends as it is: a text that has its own full stop gets no second one. */
const quote = (text: string) => (/[.!?]$/.test(text) ? `“${text}”` : `“${text}”.`)

function remembered({ lifted }: ApprovalCard): string {
  return lifted
    ? t('It was lifted: the same call in this run asks again.')
    : t('The same call in this run gets the same answer for as long as the policy remembers a no.')
}
