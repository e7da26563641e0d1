/** How a long-running process handles unhandled rejections and uncaught exceptions. */
export interface Mishaps {
  /** Reports an unhandled promise rejection. */
  readonly rejected: (reason: unknown) => void
  /** The process is about to end. Nothing that takes time happens any more. */
  readonly ending: (error: unknown) => void
}

/**
 * An unhandled rejection is reported and survived: all state that counts is in the store, in
 * transactions that are awaited, so a promise that is not awaited leaves nothing half done. An
 * uncaught exception may have left a lock or a stream in any state: then the process ends, and its
 * supervisor starts another, which finds all that is pending. Returns a function that removes the
 * handlers.
 */
export function watchMishaps({ rejected, ending }: Mishaps): () => void {
  const died = (error: unknown) => {
    try {
      ending(error)
    } finally {
      process.exit(INTERNAL)
    }
  }
  const heard = (reason: unknown) => {
    try {
      rejected(reason)
    } catch (error) {
      died(error)
    }
  }
  process.on('unhandledRejection', heard)
  process.on('uncaughtException', died)
  return () => {
    process.off('unhandledRejection', heard)
    process.off('uncaughtException', died)
  }
}

/** As every other failure of our own. */
const INTERNAL = 70
