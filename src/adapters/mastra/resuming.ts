import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The calls that led to the pause which is being resumed: Mastra starts each of them again before
 * any model is asked. Each counts once, so a model that repeats an id later resumes nothing.
 */
const resumed = new AsyncLocalStorage<Set<string>>()

export function whileResuming<T>(callIds: readonly string[], work: () => Promise<T>): Promise<T> {
  return resumed.run(new Set(callIds), work)
}

/** Whether this call is started because its run goes on. True once. */
export function isResumed(callId: string): boolean {
  return resumed.getStore()?.delete(callId) ?? false
}
