import type { WireToolRun } from '../../../../../src/api/studio/studio.ts'

/** Where a run of this very source failed. */
export interface Fault {
  readonly source: string
  readonly line: number
  readonly message: string
}

/** Undefined where the run passed, or says no line of the source. */
export function faultOf(source: string, { error }: WireToolRun): Fault | undefined {
  const line = Number(/^tool\.js:(\d+)/.exec(error?.at ?? '')?.[1])
  const isThere = line >= 1 && line <= source.split('\n').length
  return error && isThere ? { source, line, message: error.message } : undefined
}
