import type { ToolContext } from '@strands-agents/sdk'

/** What an interrupt of ours says of itself: its `reason`. */
export interface Waiting {
  readonly countersign: 'waits'
  readonly callId: string
  readonly name: string
  readonly message: string
}

/**
 * The interrupts of one call. Strands remembers what each was answered with, by its name, so one
 * that was woken and still waits needs a new name. `next` gives what the agent was woken with;
 * when all of that is used, it throws, and the agent stops.
 */
export function pause(
  context: ToolContext,
  callId: string,
  name: string,
): { next(message: string): unknown } {
  let number = 0
  return {
    next(message) {
      number += 1
      const reason: Waiting = { countersign: 'waits', callId, name, message }
      return context.interrupt({ name: `countersign-${number}`, reason: { ...reason } })
    },
  }
}

/** Whether an interrupt is one of ours: of a tool, for the call that it names. */
export function isWaiting(interrupt: {
  readonly id: string
  readonly reason?: unknown
}): interrupt is { readonly id: string; readonly reason: Waiting } {
  const { countersign, callId } = (interrupt.reason ?? {}) as Partial<Waiting>
  return countersign === 'waits' && interrupt.id.startsWith(`tool:${callId}:countersign-`)
}
