import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { getCurrentTaskInput } from '@langchain/langgraph'
import { internals, type Stands } from '../../gate/internals.ts'
import { previewFor } from '../asking.ts'
import { answer } from './answers.ts'
import { callOf, type GuardedTool, type ModelCall, type NodeConfig } from './guarded-tool.ts'
import { arrivedFor } from './known-tools.ts'
import { passWoken, pause, type Waiting } from './pause.ts'

/**
 * The calls that run in one task of a graph. An agent makes a task of each call; a `ToolNode` runs
 * all calls of a message in one, and when one of them pauses all are run again from the start.
 */
export interface Turn {
  readonly isAlone: boolean
  /**
   * Pauses the task until this call may go on, then runs it. It is told how it stands, if that can
   * be found out; running it says what is wrong otherwise.
   */
  through<T>(own: ModelCall, work: (now: Stands | undefined) => Promise<T>): Promise<T>
}

export type Guarding = (call: ModelCall) => GuardedTool | undefined

interface Standing {
  readonly call: ModelCall
  readonly now: Stands | undefined
}

const turns = new WeakMap<object, Turn>()

/** The calls of one task share one turn; the task is known by the object its calls are given. */
export function turnOf(config: NodeConfig, own: ModelCall, guarding: Guarding): Turn {
  const calls = callsOf(config)
  if (calls.length <= 1 || !calls.some(({ id }) => id === own.id)) {
    return newTurn(config, [own], guarding)
  }
  const shared = config.configurable ?? {}
  const turn = turns.get(shared) ?? newTurn(config, calls, guarding)
  turns.set(shared, turn)
  return turn
}

function newTurn(config: NodeConfig, calls: readonly ModelCall[], guarding: Guarding): Turn {
  const isAlone = calls.length === 1
  const running = new Set<Promise<unknown>>()
  let looking: Promise<readonly Standing[]> | undefined
  let paused: { readonly by: unknown } | undefined

  function look(): Promise<readonly Standing[]> {
    looking ??= Promise.all(calls.map(async (call) => ({ call, now: await stands(call) }))).finally(
      () => {
        looking = undefined
      },
    )
    return looking
  }

  async function stands(call: ModelCall): Promise<Stands | undefined> {
    const tool = arrivedFor(config, call) ?? guarding(call)
    return tool && statusNow(tool, call, config)
  }

  /** Ends the task for all its calls: none may start any more, because all will be run again. */
  function pauseAll(waiting: readonly Waiting[]): void {
    try {
      pause(config, waiting)
    } catch (error) {
      paused = { by: error }
      throw error
    }
  }

  return {
    isAlone,
    async through(own, work) {
      let isFirst = true
      for (;;) {
        const all = await look()
        // From here to the start, or to the pause, nothing is awaited.
        if (paused) throw paused.by
        const now = all.find(({ call }) => call.id === own.id)?.now
        const waiting = all.flatMap(waitingOf)
        // A call that needs no approval leaves no record of having run, so it starts when no pause
        // is left that would run it a second time. An approved call is recorded, and can go ahead.
        const isHeld =
          now?.status === 'pending' || (now?.status === 'allowed' && waiting.length > 0)
        if (!isHeld) {
          if (!isAlone) passWoken(config)
          return during(work(now))
        }
        if (isAlone) pauseAll(waiting)
        else if (isFirst) await nextTurnOfEvents()
        else if (running.size > 0) await Promise.allSettled(running)
        else pauseAll(waiting)
        isFirst = false
      }
    },
  }

  function during<T>(work: Promise<T>): Promise<T> {
    running.add(work)
    const over = () => running.delete(work)
    work.then(over, over)
    return work
  }
}

/** Gives the approved calls of the same message the time to start. */
function nextTurnOfEvents(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

function waitingOf({ call: { id = '', name, args }, now }: Standing): Waiting[] {
  return now?.status === 'pending' ? [{ callId: id, name, args, message: now.modelMessage }] : []
}

async function statusNow(tool: GuardedTool, own: ModelCall, config: NodeConfig) {
  const { gate, name, asking, definition } = tool
  const asked = { definition, ...previewFor(asking, name) }
  const call = callOf(tool, own, config)
  if (gate[internals].allows?.(call)) return { status: 'allowed' } as const
  try {
    const now: Stands = await gate.check(call, asked)
    const isAnswered = now.status === 'pending' && (await answer(config, own.id ?? '', now))
    return isAnswered ? await gate.check(call, asked) : now
  } catch {
    // Running it will say what is wrong.
    return undefined
  }
}

/** The calls of the task that have no result yet. */
function callsOf(config: NodeConfig): readonly ModelCall[] {
  const input = inputOf(config)
  if (typeof input !== 'object' || input === null) return []
  if ('lg_tool_call' in input) return [input.lg_tool_call as ModelCall]
  const messages = (Array.isArray(input) ? input : (input as { messages?: unknown }).messages) ?? []
  if (!Array.isArray(messages)) return []
  const known = messages as BaseMessage[]
  const asking = known.findLast((message) => AIMessage.isInstance(message)) as AIMessage | undefined
  const done = new Set(
    known.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
  )
  return (asking?.tool_calls ?? []).filter(({ id }) => id !== undefined && !done.has(id))
}

function inputOf(config: NodeConfig): unknown {
  try {
    return getCurrentTaskInput(config as never)
  } catch {
    // Called from outside of a graph.
    return undefined
  }
}
