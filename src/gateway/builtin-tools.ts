import type { Approval } from '../approval/approval.ts'
import { openQuestions } from '../approval/talk.ts'
import { foldAddress } from '../base/address.ts'
import { isCountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { askedBackOf } from '../gate/content/asked-back.ts'
import type { Gate } from '../gate/gate.ts'
import { pending } from '../gate/outcome.ts'
import type { Store } from '../store/store.ts'
import { HOW_TO_ANSWER, textResult } from './downstream/call-result.ts'

const ID = {
  type: 'object',
  properties: { id: { type: 'string', description: 'Id of the approval.' } },
  required: ['id'],
} as const

/** The only tools of ours. They look and reply; nothing on this side can decide. */
export const OWN_TOOLS: readonly JsonObject[] = [
  {
    name: 'countersign_status',
    description:
      'Tells how an approval stands that an earlier call waits for; without an id, which servers cannot be used and why.',
    inputSchema: { type: 'object', properties: ID.properties },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'countersign_wait',
    description:
      'Waits up to 45 seconds for the answer to an approval that an earlier call waits for.',
    inputSchema: ID,
    annotations: { readOnlyHint: true },
  },
  {
    name: 'countersign_answer',
    description:
      'Answers what a person asked about an earlier call of yours before they decide. It decides nothing and changes nothing about the call.',
    inputSchema: {
      type: 'object',
      properties: {
        ...ID.properties,
        text: { type: 'string', description: 'The answer, for a person to read.' },
      },
      required: ['id', 'text'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
]

export const OWN_NAMES = OWN_TOOLS.map(({ name }) => String(name))

const WAIT_MS = 45_000

interface OwnTools {
  readonly store: Store
  readonly gate: Pick<Gate, 'with'>
  readonly agent: string
  /** The person it works for. */
  readonly principal?: string | undefined
  /** What calls belong to here: an answer is good for its own run. */
  readonly run: string
}

/** Only approvals this agent asked for, for the same person; others do not exist here. */
export async function callOwnTool(
  { store, gate, run, ...asker }: OwnTools,
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const id = typeof args.id === 'string' ? args.id : ''
  let approval = await found(store, id, asker)
  if (!approval) return textResult(`There is no approval ${JSON.stringify(id)} of yours.`, true)
  if (name === 'countersign_answer') return answer(gate, approval, args.text)
  if (name === 'countersign_wait' && approval.status === 'pending') {
    approval = await decided(
      store,
      approval,
      AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]),
    )
  }
  return textResult(await standing(store, approval, run), false, {
    'countersign/approval': id,
    'countersign/status': approval.status,
  })
}

async function found(
  store: Store,
  id: string,
  { agent, principal }: Pick<OwnTools, 'agent' | 'principal'>,
): Promise<Approval | undefined> {
  const approval = id === '' ? undefined : await store.get(id)
  if (approval?.call.agent !== agent) return undefined
  const asked = approval.call.principal
  const isTheirs =
    foldAddress(asked?.email ?? asked?.subject ?? '') === foldAddress(principal ?? '')
  return isTheirs ? approval : undefined
}

async function decided(store: Store, asked: Approval, signal: AbortSignal): Promise<Approval> {
  let approval = asked
  try {
    while (isWaiting(approval) && !signal.aborted) {
      approval = await store.waitFor(approval.id, approval.revision, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return approval
}

/** No decision, and nothing that the model could answer. */
function isWaiting(approval: Approval): boolean {
  return approval.status === 'pending' && openQuestions(approval).length === 0
}

async function answer(
  gate: Pick<Gate, 'with'>,
  { id, call }: Approval,
  text: unknown,
): Promise<JsonObject> {
  if (typeof text !== 'string') return textResult('text is missing: the answer in words.', true)
  try {
    await gate.with({ agent: call.agent }).answer(id, text)
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return textResult(`The answer was not taken: ${error.message}.`, true, {
      'countersign/approval': id,
      'countersign/code': error.code,
    })
  }
  return textResult(
    `The answer was given to the people who decide about approval ${id}. The call still waits for them and has not run; countersign_wait with this id tells when there is news.`,
    false,
    { 'countersign/approval': id, 'countersign/status': 'pending' },
  )
}

async function standing(store: Store, approval: Approval, run: string): Promise<string> {
  const { id, status, execution, call } = approval
  const { tool } = call
  const questions = await askedBackOf({ store }, approval)
  if (questions.length > 0) {
    return `${pending({ id, tool }, questions).modelMessage} ${HOW_TO_ANSWER}`
  }
  if (execution)
    return `The call to ${tool} (approval ${id}) was approved and is ${execution.state}.`
  if (status === 'pending')
    return `The call to ${tool} (approval ${id}) still waits for a person and has not run.`
  if (status === 'approved' && call.run !== run) {
    return `The call to ${tool} (approval ${id}) was approved in another session and has not run. Only that session, or one that takes its place, can use the answer: the same call asks a person again here.`
  }
  if (status === 'approved') {
    return `The call to ${tool} (approval ${id}) was approved and has not run yet. The same call with the same arguments runs it.`
  }
  return `The call to ${tool} (approval ${id}) was ${status} and did not run. Do not call it again for this request.`
}
