import { randomUUID } from 'node:crypto'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { Gate } from '../../gate/gate.ts'
import { type Asked, mayAnswerHere, wayToAsk } from './client.ts'
import { invitation, questionText } from './question.ts'

// A person cannot read a question in less. Such an answer never counts; later ones are not valid
// just because they are later.
const SOONEST_ANSWER = 700

export interface Elicitation extends Asked {
  readonly gate: Gate
}

/**
 * `decided`: they answered in the client. `opened`: they went to the card. `dismissed`: they closed
 * the question without an answer. `too_long`: nothing was asked, because it could not be shown
 * whole. `none`: there was no answer that counts. In all but the first the question stays open.
 */
export type Elicited = 'decided' | 'opened' | 'dismissed' | 'too_long' | 'none'

/** Asks in the client, the way `wayToAsk` says. */
export async function elicit(
  asking: Elicitation,
  signal: AbortSignal,
  /** Told under which id the client was sent to the card. */
  onOpening: (elicitationId: string) => void = () => {},
): Promise<Elicited> {
  const way = wayToAsk(asking)
  if (way === undefined) return 'none'
  const question = way === 'url' ? opening(asking, onOpening) : await form(asking)
  if (!question) return 'too_long'
  const asked = performance.now()
  const answer = await asking.client.ask('elicitation/create', question, signal)
  if (signal.aborted || performance.now() - asked < SOONEST_ANSWER) return 'none'
  const verdict = verdictOf(answer, way)
  if (verdict !== 'approve' && verdict !== 'deny') return verdict
  const { gate, approval, person } = asking
  if (!mayAnswerHere(approval, person)) return 'dismissed'
  await gate.approvals.decide(approval.id, { by: person, verdict, seen: approval.digest })
  return 'decided'
}

function opening(
  { approval, card = '' }: Elicitation,
  onOpening: (elicitationId: string) => void,
): JsonObject {
  const elicitationId = randomUUID()
  onOpening(elicitationId)
  return { mode: 'url', message: invitation(approval), url: card, elicitationId }
}

async function form({ gate, approval, card }: Elicitation): Promise<JsonObject | undefined> {
  const shown = await gate.approvals.get(approval.id)
  // An edit in between is another call than the one a yes here would be for.
  if (!shown?.question || !shown.args || shown.approval.digest !== approval.digest) return undefined
  const { args, question } = shown
  const message = questionText({ approval, args, message: question.message }, card)
  return message === undefined ? undefined : { message, requestedSchema: DECISION }
}

/**
 * A choice that a person has to make: some clients accept a form without fields by themselves, and
 * a field with a default would be filled in by pressing Enter.
 */
const DECISION: JsonObject = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      description: 'approve runs the call, once; deny refuses it',
      enum: ['approve', 'deny'],
    },
  },
  required: ['decision'],
}

function verdictOf(
  { action, content }: JsonObject,
  way: 'url' | 'form',
): 'approve' | 'deny' | 'opened' | 'dismissed' | 'none' {
  if (action === 'decline') return 'deny'
  if (action === 'cancel') return 'dismissed'
  if (action !== 'accept') return 'none'
  if (way === 'url') return 'opened'
  if (!isPlainObject(content) || Object.keys(content).length !== 1) return 'none'
  const { decision } = content
  return decision === 'approve' || decision === 'deny' ? decision : 'none'
}
