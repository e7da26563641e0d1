import type { ToolPart } from '../card.ts'
import type { ShownCall } from '../shown-call.ts'

/** As much of a message as is looked at here: any message of `useChat` fits. */
export interface ChatMessage {
  readonly id: string
  readonly role: string
  readonly parts: readonly { readonly type: string }[]
}

type CallPart = ToolPart & { readonly toolCallId: string }

export interface PausedTurn {
  /**
   * What the server should hear now, as a word that differs whenever that does: an answer given
   * here, or that all is decided. Undefined when there is nothing to tell.
   */
  newsWith(calls: ReadonlyMap<string, ShownCall>): string | undefined
}

const OPEN = ['approval-requested', 'approval-responded']
/** A tool of the page that has not answered yet: the SDK would lose the turn's results. */
const RUNNING = ['input-streaming', 'input-available']

/** The calls of the chat's last step. */
export function lastCalls(messages: readonly ChatMessage[]): CallPart[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return []
  const step = last.parts.findLastIndex(({ type }) => type === 'step-start')
  return last.parts.slice(step + 1).filter(isCall)
}

/** The last turn, when calls in it wait for people. */
export function pausedTurn(messages: readonly ChatMessage[]): PausedTurn | undefined {
  const parts = lastCalls(messages)
  const open = parts.filter(({ state }) => OPEN.includes(state))
  if (open.length === 0) return undefined
  return {
    newsWith(calls) {
      if (parts.some(({ state }) => RUNNING.includes(state))) return undefined
      const known = open.map((part) => ({ part, call: calls.get(part.toolCallId) }))
      const isAnswered = known.some(
        ({ part, call }) => part.state === 'approval-responded' && isWaiting(call) && call.here,
      )
      const isDecided = known.every(({ call }) => call !== undefined && !isWaiting(call))
      if (!isAnswered && !isDecided) return undefined
      const words = known.map(({ part, call }) =>
        [part.toolCallId, part.approval?.approved, call?.status].join(':'),
      )
      return [messages.at(-1)?.id, ...words].join(' ')
    },
  }
}

function isWaiting(call: ShownCall | undefined): call is ShownCall {
  return call?.status === 'waiting'
}

function isCall(part: { readonly type: string }): part is CallPart {
  return 'toolCallId' in part && 'state' in part
}
