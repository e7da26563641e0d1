import type { Approval } from '../../approval/approval.ts'

/** Prints one line about a call that waits for a person. Returns the way to take it back. */
export type Announce = (waiting: Pick<Approval, 'id'> & { readonly tool: string }) => () => void

export interface AnnounceOptions {
  /**
   * A program that waits says so, once for each call, on stderr. `false` keeps it quiet; a function
   * gets the line instead.
   */
  readonly announce?: boolean | ((line: string) => void) | undefined
}

/** Answers that come at once, as in tests, are not worth a line. */
const AFTER_MS = 1_000

const QUIET: Announce = () => () => {}

export function createAnnounce(
  { announce = true }: AnnounceOptions,
  whereToDecide: (id: string) => string,
): Announce {
  if (announce === false) return QUIET
  const print = announce === true ? toStderr : announce
  return ({ id, tool }) => {
    const timer = setTimeout(() => {
      print(`countersign: ${tool} waits for a person. Decide: ${whereToDecide(id)}`)
    }, AFTER_MS)
    // What waits keeps the process alive by itself; this line alone is no reason to.
    ;(timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer)
  }
}

function toStderr(line: string): void {
  const { console } = globalThis as { console?: { error(line: string): void } }
  console?.error(line)
}
