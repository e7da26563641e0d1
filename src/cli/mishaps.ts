/** What a process that runs for long does about errors that nobody waited for. */
export interface Mishaps {
  /** Tells of a promise that was rejected with nobody there to hear it. */
  readonly rejected: (reason: unknown) => void
  /** The process is about to end. Nothing that takes time happens any more. */
  readonly ending: (error: unknown) => void
}

/**
 * A rejection that nobody heard is told and survived: everything that counts is in the store, in
 * transactions that somebody awaits, so a promise nobody awaits has left nothing half done. An
 * exception that nobody caught has unwound who knows what, a lock or a stream among them: then the
 * process ends, and whoever watches over it starts another, which finds all that is pending.
 * Returns the way back.
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
