import type { Call } from '../../base/call.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { delegation } from '../../gate/delegate.ts'
import { blocked, type Succeeded } from '../../gate/outcome.ts'
import { NotStarted } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkAsking, type ParentInput, parentInput } from '../asking.ts'
import { isResumed } from './resuming.ts'

export interface DelegationAsking {
  /** The `runId` of the agent's run, unless set. */
  readonly run?: string
  /** How long the hand-over waits: `'2m'`, or milliseconds. Then the question is withdrawn. */
  readonly waitFor?: string | number
  /** What the agent that hands over was given itself. */
  readonly parent?: ParentInput<Handover>
}

/** As much of what Mastra tells about a hand-over as is looked at. */
export interface Handover {
  readonly primitiveId: string
  readonly prompt: string
  readonly params: {
    readonly instructions?: string
    readonly maxSteps?: number
    readonly threadId?: string
    readonly resourceId?: string
  }
  readonly runId: string
  readonly toolCallId: string
  readonly requestContext?: unknown
}

interface Answer {
  proceed: boolean
  rejectionReason?: string
  modifiedPrompt?: string
  modifiedInstructions?: string
  modifiedMaxSteps?: number
}

/**
 * For `delegation` in the `defaultOptions` of an agent that has sub-agents: handing work to one of
 * them asks first. Mastra has no pause there, so the question is waited for inside.
 */
export function guardDelegation(gate: ToolGate, { run, waitFor, parent }: DelegationAsking = {}) {
  checkAsking(gate, { run: run ?? 'the run of the agent', mode: 'block' })

  async function onDelegationStart(handover: Handover): Promise<Answer> {
    const { primitiveId: alias, runId, toolCallId } = handover
    const args = argsOf(handover)
    const call: Call = {
      ...delegation(alias, args, parentInput(parent, handover)),
      run: run ?? runId,
      key: toolCallId,
    }
    // The sub-agent works when this is over, and what it calls is asked about by itself. What a
    // person changed is kept: a sub-agent that pauses inside goes on with it.
    const start = (given: JsonObject, { edited }: { readonly edited: boolean }) =>
      edited ? checked(args, given) : null
    try {
      const outcome = await gate.run(call, { name: alias, run: start }, { waitFor })
      if (outcome.status !== 'succeeded') return rejected(outcome.modelMessage)
      // One that ran before may go on only as a sub-agent that paused inside and is resumed.
      if (outcome.replayed && !isResumed(toolCallId)) return rejected(handedOver(alias))
      return proceeding(outcome)
    } catch {
      return rejected(blocked('store_unavailable', { tool: alias }).modelMessage)
    }
  }

  // A hook that throws would otherwise let the sub-agent work.
  return { onDelegationStart, hookErrorStrategy: 'throw' as const }
}

function argsOf({ prompt, params }: Handover): JsonObject {
  const { instructions, maxSteps, threadId, resourceId } = params
  return {
    prompt,
    ...(instructions === undefined ? {} : { instructions }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(resourceId === undefined ? {} : { resourceId }),
  }
}

/** Mastra lets a hook change the prompt, the instructions and the number of steps. */
function checked(asked: JsonObject, given: JsonObject): JsonObject {
  const { prompt, instructions, maxSteps, ...others } = given
  if (typeof prompt !== 'string' || prompt === '') {
    throw new NotStarted('the changed hand-over has no prompt')
  }
  if (instructions !== undefined && typeof instructions !== 'string') {
    throw new NotStarted('the changed instructions are not text')
  }
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && Number(maxSteps) > 0)) {
    throw new NotStarted('the changed maxSteps is not a positive whole number')
  }
  const fixed = (['threadId', 'resourceId'] as const).filter((key) => asked[key] !== given[key])
  const unknown = Object.keys(others).filter((key) => key !== 'threadId' && key !== 'resourceId')
  const [first] = [...fixed, ...unknown]
  if (first !== undefined) throw new NotStarted(`Mastra cannot hand over a changed ${first}`)
  return given
}

function proceeding({ edited, result, noResult }: Succeeded<JsonObject | null>): Answer {
  if (isPlainObject(result)) return { proceed: true, ...modified(result as JsonObject) }
  // Changed, and what was changed is no longer kept: the unapproved words must not be used.
  if (edited !== undefined || noResult !== undefined) {
    return rejected('The changed hand-over is not kept, so it did not go on.')
  }
  return { proceed: true }
}

/** Everything as it was approved: what was taken out is taken out here, too. */
function modified({ prompt, instructions, maxSteps }: JsonObject): Omit<Answer, 'proceed'> {
  return {
    modifiedPrompt: String(prompt),
    modifiedInstructions: typeof instructions === 'string' ? instructions : '',
    modifiedMaxSteps: typeof maxSteps === 'number' ? maxSteps : 0,
  }
}

function rejected(rejectionReason: string): Answer {
  return { proceed: false, rejectionReason }
}

function handedOver(alias: string): string {
  return `The work was already handed to ${alias} under this id and is not handed over again. Do not call it again for this request.`
}
