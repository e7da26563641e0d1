import { parseDuration } from '../../base/duration.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Preview } from '../../base/preview/preview.ts'

/* What a tool may say of its previews. Workflow code loads it, so nothing here reads a clock. */

/** What a preview is made with, besides the arguments. */
export interface PreviewContext {
  readonly tool: string
  /** Aborted when the preview takes too long, or the caller no longer waits. */
  readonly signal: AbortSignal
}

/**
 * Says what a call would do, without doing it. Plain text is a summary. It runs in the program that
 * asks, before people are asked, and only for calls they are asked about.
 */
export type PreviewFunction<A = JsonObject> = (
  args: A,
  context: PreviewContext,
) => Preview | string | Promise<Preview | string>

/** The part of a tool that previews. */
export interface Previewing<A = JsonObject> {
  readonly preview?: PreviewFunction<A> | undefined
  /** How long it may take: `'2s'`, or milliseconds. 5 seconds unless set. */
  readonly previewTimeout?: string | number | undefined
}

const TIMEOUT = 5_000
/** The caller waits for it before people are even asked. */
const LONGEST = 60_000

/** Throws for a program's mistake, when the tool is guarded and not when it is called. */
export function checkPreviewing({ preview, previewTimeout }: Previewing<never>): void {
  if (preview !== undefined && typeof preview !== 'function') {
    throw new CountersignError('usage', 'preview is not a function', {
      hint: 'Pass preview: async (args, { signal }) => ({ summary, facts, table, changes, text }).',
    })
  }
  timeoutOf(previewTimeout)
}

/** In milliseconds. Throws for what is no such time. */
export function timeoutOf(timeout: string | number | undefined): number {
  if (timeout === undefined) return TIMEOUT
  const given = typeof timeout === 'string' ? parseDuration(timeout) : undefined
  const ms = given?.ok ? given.value : timeout
  if (typeof ms === 'number' && ms > 0 && ms <= LONGEST) return ms
  throw new CountersignError('usage', 'previewTimeout: up to a minute, as milliseconds or as 5s')
}
