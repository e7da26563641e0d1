import type { Command } from '../../src/approval/command.ts'
import type { Store } from '../../src/store/store.ts'
import { pause } from './retries.ts'

/** A place between the last look at what holds and the transaction that counts on it. */
export interface Ambush {
  /** The same store; what it lies in wait for waits there for whoever lies there. */
  watch(store: Store): Store
  /** The approval whose command came by, which waits until it is let go; undefined: none that is known. */
  wait(ms: number): Promise<string | undefined>
  letGo(): void
}

export function createAmbush(isPrey: (command: Command) => boolean): Ambush {
  let caught: ((id: string | undefined) => void) | undefined
  let letGo = () => {}
  return {
    watch: (store) => ({
      ...store,
      async apply(id, command) {
        if (caught && isPrey(command)) {
          const free = Promise.withResolvers<void>()
          letGo = free.resolve
          // Nobody can name an approval that is not written yet.
          caught(command.type === 'request' ? undefined : id)
          caught = undefined
          await free.promise
        }
        return store.apply(id, command)
      },
    }),
    async wait(ms) {
      const next = Promise.withResolvers<string | undefined>()
      caught = next.resolve
      const id = await Promise.race([next.promise, pause(ms).then(() => undefined)])
      caught = undefined
      return id
    },
    letGo: () => letGo(),
  }
}

/** Spends a yes: the last moment in which a lock can hold it back. */
export function isSpending(command: Command): boolean {
  return command.type === 'claim' || (command.type === 'request' && command.grant !== undefined)
}

/** Counts on somebody who stands in for somebody, or on people who may be removed meanwhile. */
export function isCountingOnPeople(command: Command): boolean {
  if (command.type === 'decide') return command.by.for !== undefined
  return command.type === 'claim' && command.voters.length > 1
}
