import { isGraphBubbleUp } from '@langchain/langgraph'
import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { internals, type Stands } from '../../gate/internals.ts'
import { blocked } from '../../gate/outcome.ts'
import { sentence } from '../../gate/sentences.ts'
import { previewFor } from '../asking.ts'
import {
  callOf,
  type GuardedTool,
  type ModelCall,
  misfitOf,
  type NodeConfig,
} from './guarded-tool.ts'
import { kept, noted, type Paused, pausedIn, pausedMark, revived } from './kept-output.ts'
import { arrive } from './known-tools.ts'
import { passPauses, pause } from './pause.ts'
import { type Guarding, turnOf } from './turn.ts'

/** What became of a call: what the tool gave, or a sentence for the model. */
export type Passed =
  | { readonly output: unknown }
  | { readonly told: string }
  /** It ran, and threw. `isAllowed`: it needed no approval. */
  | { readonly told: string; readonly error: unknown; readonly isAllowed: boolean }

export interface Guarded {
  readonly tool: GuardedTool
  readonly call: ModelCall
  readonly config: NodeConfig
  /** The other tools that run in the same task. */
  readonly guarding: Guarding
  /** Runs the tool itself. */
  readonly next: (args: JsonObject) => Promise<unknown>
}

/**
 * One call through the gate. LangGraph's interrupts carry the question to the code that resumes,
 * and run this again from its start: whether the call runs is read from the approvals, each time.
 */
export async function guardCall(guarded: Guarded): Promise<Passed> {
  const { tool, call: own, config, guarding } = guarded
  const { gate, name, asking } = tool
  arrive(config, own, tool)
  const reason = await misfitOf(tool, own.args)
  if (reason !== undefined)
    return { told: blocked('invalid_call', { tool: name, reason }).modelMessage }

  const call = callOf(tool, own, config)
  // A call without an id could not be found again after a pause.
  const pauses = (asking.mode ?? 'suspend') === 'suspend' && own.id !== undefined
  if (pauses && call.run === undefined && !gate[internals].allows?.(call)) throw noThread(name)
  if (!pauses) return run(guarded, call, { now: undefined, pauses, isAlone: false })
  const turn = turnOf(config, own, guarding)
  return turn.through(own, (now) => run(guarded, call, { now, pauses, isAlone: turn.isAlone }))
}

interface Circumstances {
  readonly now: Stands | undefined
  readonly pauses: boolean
  readonly isAlone: boolean
}

async function run(
  guarded: Guarded,
  call: Call,
  { now, pauses, isAlone }: Circumstances,
): Promise<Passed> {
  const { tool, call: own, config, next } = guarded
  const { gate, name, asking, definition } = tool
  let output: unknown
  let bubble: unknown
  let isStarted = false
  async function start(args: JsonObject, { edited }: { readonly edited: boolean }) {
    isStarted = true
    const after = now?.status === 'approved' && isAlone ? passPauses(config) : 0
    try {
      output = await next(args)
      return await kept(output)
    } catch (error) {
      if (!isGraphBubbleUp(error)) throw error
      // It is suspended, or the graph continues at another node: neither is a failure.
      bubble = error
      return pausedMark({ task: taskOf(config), after, ...(edited ? { args } : {}) })
    }
  }

  const { signal } = config
  const outcome = await gate.run(
    call,
    { name, definition, run: start, ...previewFor(asking, name) },
    pauses ? { signal, wait: false } : { signal, waitFor: asking.waitFor },
  )
  if (bubble !== undefined) throw bubble
  if (outcome.status === 'failed') {
    const isAllowed = now ? now.status === 'allowed' : gate[internals].allows?.(call) === true
    return { told: outcome.modelMessage, error: outcome.error, isAllowed }
  }
  if (outcome.status !== 'succeeded') return { told: outcome.modelMessage }
  if (isStarted) return { output: noted(output, outcome.modelMessage) }
  const inside = pausedIn(outcome.result)
  if (inside) return goOn(guarded, inside, outcome.modelMessage)
  if (outcome.noResult !== undefined) return { told: outcome.modelMessage ?? '' }
  return { output: noted(await revived(outcome.result, own.id ?? '', name), outcome.modelMessage) }
}

function taskOf({ configurable }: NodeConfig): string {
  return String(configurable?.checkpoint_ns ?? '')
}

/** It was approved and started in this very task. What it calls inside is asked about by itself. */
async function goOn(
  { tool, call, config, next }: Guarded,
  paused: Paused,
  note: string | undefined,
): Promise<Passed> {
  const { name } = tool
  if (paused.task !== taskOf(config)) return { told: sentence('running_elsewhere', { tool: name }) }
  for (let passed = 0; passed < paused.after; passed += 1) pause(config, [])
  // Other arguments than the model's are only those of a person, who left a note about them.
  const args = (note === undefined ? undefined : paused.args) ?? (call.args as JsonObject)
  try {
    return { output: noted(await next(args), note) }
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error
    const reason = error instanceof Error ? error.message : undefined
    return { told: sentence('failed', { tool: name, reason }), error, isAllowed: false }
  }
}

function noThread(name: string): CountersignError {
  return new CountersignError('usage', `the call to ${name} belongs to no thread`, {
    hint: 'Invoke the graph with { configurable: { thread_id } }: without it a resumed call could not be told from a new one.',
  })
}
