import type { AgentApproval, ClaimAnswer, LookAnswer } from '../api/agent.ts'
import { CountersignError } from '../base/errors.ts'
import { isPlainObject } from '../base/json/json.ts'
import type { AskedBack } from '../gate/content/asked-back.ts'

/*
 * Proxies and other programs answer with JSON as well. What a call runs by must be there, and as
 * expected; what else an answer holds is for newer clients.
 */

/** Throws where the answer does not say what becomes of the call. */
export function readCallAnswer(answer: LookAnswer): LookAnswer {
  switch (answer?.status) {
    case 'allowed':
      return isPlainObject(answer.args) ? answer : unexpected()
    case 'blocked':
      return isText(answer.code) && isText(answer.modelMessage) ? answer : unexpected()
    case 'pending':
    case 'approved':
      return isText(answer.id) && isText(answer.digest) ? answer : unexpected()
    case 'unasked':
      return answer
    default:
      return unexpected()
  }
}

/** Throws where the answer does not say what to run with, and until when. */
export function readClaimAnswer(answer: ClaimAnswer): ClaimAnswer {
  const { claim, args, startWithin, lease, edited } = answer ?? {}
  const isWhole =
    isText(claim) && isPlainObject(args) && Number.isFinite(startWithin) && Number.isFinite(lease)
  return isWhole && isEditedOrNot(edited) ? answer : unexpected()
}

/** Throws where the answer does not say what was asked about. */
export function readApproval(answer: AgentApproval): AgentApproval {
  const { id, status, digest, call } = answer ?? {}
  const isWhole = [id, status, digest, call?.tool, call?.definition].every(isText)
  return isWhole && isEditedOrNot(answer.edited) ? answer : unexpected()
}

/** What people ask before they decide; anything else in its place is left out. */
export function readQuestions({ questions }: { readonly questions?: unknown }): AskedBack[] {
  if (!Array.isArray(questions)) return []
  return (questions as readonly unknown[]).filter(
    (one): one is AskedBack => isPlainObject(one) && isText(one.text) && typeof one.at === 'number',
  )
}

function isEditedOrNot(edited: unknown): boolean {
  if (edited === undefined) return true
  if (!isPlainObject(edited)) return false
  return Array.isArray(edited.paths) && isPlainObject(edited.args) && isText(edited.modelMessage)
}

const isText = (value: unknown) => typeof value === 'string'

function unexpected(): never {
  throw new CountersignError('server_unreachable', 'the server answered something unexpected', {
    hint: 'Check that the address is that of a Countersign server, and update it.',
  })
}
