import type { Approval } from '../approval/approval.ts'
import { READ_METHODS } from '../base/call.ts'
import { NAME } from '../policy/call.ts'
import { DENIED_BY_MODE } from '../policy/evaluate/mode.ts'

/** Everything a sentence may mention. Absent parts are left out of it. */
export interface Said {
  readonly tool: string
  readonly id?: string | undefined
  readonly reason?: string | undefined
  /** What a person wrote for the model instead of a result. */
  readonly answer?: string | undefined
  /** What people ask before they decide. */
  readonly questions?: readonly string[] | undefined
}

const ENOUGH = 'Do not call it again for this request.'
const ASK_USER = 'Do not call it again unless the user asks for it.'

/**
 * What the model reads for every way out that is not a result. Full sentences, because a model
 * acts on what it reads: each says whether the call ran, and none invites another attempt. Only
 * `unknown` and `running_elsewhere` leave open whether it ran; there that is the truth.
 */
const SENTENCES = {
  denied: (said) => `${called(said)} was denied by a person and did not run.${why(said)} ${ENOUGH}`,
  answered: (said) =>
    `${called(said)} did not run. A person answered instead of the tool: ${quoted(said)}${why(said)} ${ENOUGH}`,
  remembered: (said) =>
    `${called(said)} was already denied by a person in this run and did not run.${why(said)} ${ENOUGH}`,
  policy: (said) =>
    `${called(said)} is not allowed by policy and did not run.${why(said)} ${ENOUGH}`,
  mode: () => JSON.stringify(DENIED_BY_MODE),
  undecided: (said) =>
    `${called(said)} was not answered by anyone in time and did not run. ${ASK_USER}`,
  unused: (said) => `${called(said)} was approved, but too long ago, and did not run. ${ASK_USER}`,
  withdrawn: (said) =>
    `${called(said)} was withdrawn before anything happened and did not run. ${ASK_USER}`,
  invalidated: (said) =>
    `${called(said)} lost its approval and did not run.${why(said)} ${ASK_USER}`,
  pending: (said) =>
    `${called(said)} waits for a person to approve it${asApproval(said)} and has not run. Do not call it again; its answer comes by itself.`,
  asked_back: (said) =>
    `${called(said)} waits for a person to approve it${asApproval(said)} and has not run. Before deciding, a person asks: ${asked(said)} Answer that, as the answer to this approval; the decision follows by itself.`,
  running_elsewhere: (said) =>
    `${called(said)} is already running elsewhere${asApproval(said)}, and its outcome is not known here yet. Do not call it again.`,
  unknown: (said) =>
    `${called(said)} was started${asApproval(said)}, and nobody knows whether it took effect.${why(said)} Do not call it again; a person has to look.`,
  not_started: (said) =>
    `${called(said)} could not be started and did not run.${why(said)} ${ASK_USER}`,
  quarantined: (said) =>
    `${called(said)} is held back because the tool has changed, and did not run.${why(said)} ${ENOUGH}`,
  locked: (said) => `${called(said)} is locked and did not run.${why(said)} ${ENOUGH}`,
  limited: (said) =>
    `${called(said)} did not run, because too many calls already wait for an answer.${why(said)} ${ENOUGH}`,
  no_approver: (said) =>
    `${called(said)} needs an approval that nobody could give and did not run.${why(said)} ${ENOUGH}`,
  key_reused: (said) => `${called(said)} reuses the key of another call and did not run. ${ENOUGH}`,
  invalid: (said) =>
    `${called(said)} was not understood and did not run.${why(said)} Correct its arguments before calling it.`,
  refused: (said) => `${called(said)} was refused and did not run.${why(said)} ${ENOUGH}`,
  unavailable: (said) =>
    `${called(said)} could not be checked, because approvals are unavailable, so this attempt ran nothing. ${ASK_USER}`,
  unauthorized: (said) =>
    `${called(said)} could not be checked, because the Countersign server does not accept the token of this program, so this attempt ran nothing. Whoever runs the program makes a new one with \`countersign token create\`. ${ASK_USER}`,
  failed: (said) => `${called(said)} ran and failed.${why(said)}`,
  done: (said) =>
    `${called(said)} already ran and succeeded${asApproval(said)}; its result is not kept. Do not call it again.`,
} satisfies Record<string, (said: Said) => string>

export type Sentence = keyof typeof SENTENCES

export const SENTENCE_NAMES = Object.keys(SENTENCES) as readonly Sentence[]

export function sentence(name: Sentence, said: Said): string {
  return SENTENCES[name](said)
}

// A name that is none came from a model and is not repeated to it as if it were ours.
function called({ tool }: Said): string {
  return NAME.test(tool) || READ_METHODS.has(tool) ? `The call to ${tool}` : 'The call'
}

function why({ reason }: Said): string {
  const text = reason?.trim()
  return text ? ` Reason: ${text}${/[.!?…]$/.test(text) ? '' : '.'}` : ''
}

function asApproval({ id }: Said): string {
  return id === undefined ? '' : ` (approval ${id})`
}

function quoted({ answer = '' }: Said): string {
  return `${JSON.stringify(answer)}.`
}

/** Quoted, so that it cannot go on in our voice. */
function asked({ questions = [] }: Said): string {
  return `${questions.map((one) => JSON.stringify(one)).join(' and ')}.`
}

const LOST: Readonly<Record<string, string>> = {
  policy: 'the policy asks for more than when it was approved',
  tool: 'the definition of the tool has changed since it was shown',
  voter: 'someone who approved it may no longer do so',
  restored: 'the database was restored or copied',
  edit_refused: 'the changed arguments were refused',
  revoked: 'the approval was taken back',
}

/** Why an approval was invalidated, as a clause. */
export function lostBecause({ reason }: Pick<Approval, 'reason'>): string | undefined {
  return reason !== undefined && Object.hasOwn(LOST, reason) ? LOST[reason] : undefined
}
