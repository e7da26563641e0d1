import { parseDuration } from '../../base/duration.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { type MadePreview, type Preview, readPreview } from '../../base/preview/preview.ts'

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

function timeoutOf(timeout: string | number | undefined): number {
  if (timeout === undefined) return TIMEOUT
  const given = typeof timeout === 'string' ? parseDuration(timeout) : undefined
  const ms = given?.ok ? given.value : timeout
  if (typeof ms === 'number' && ms > 0 && ms <= LONGEST) return ms
  throw new CountersignError('usage', 'previewTimeout: up to a minute, as milliseconds or as 5s')
}

export type MakePreview = () => Promise<MadePreview>

export function previewMaker(
  { preview, previewTimeout }: Previewing<never>,
  { tool, bytes }: { readonly tool: string; readonly bytes: { readonly text: string } },
  signal?: AbortSignal | undefined,
): MakePreview | undefined {
  if (preview === undefined) return undefined
  const make = preview as PreviewFunction
  const within = timeoutOf(previewTimeout)
  // A copy of its own: what a preview does to its arguments reaches neither people nor the tool.
  return () => made(make, freshParse(bytes.text) as JsonObject, { tool, within, signal })
}

/** Never throws: people are asked all the same, and told that there is no preview. */
async function made(
  preview: PreviewFunction,
  args: JsonObject,
  {
    tool,
    within,
    signal,
  }: {
    readonly tool: string
    readonly within: number
    readonly signal: AbortSignal | undefined
  },
): Promise<MadePreview> {
  const late = new AbortController()
  const stop = () => late.abort()
  const timer = setTimeout(stop, within)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  let given: unknown
  try {
    const context = { tool, signal: late.signal }
    given = await Promise.race([(async () => preview(args, context))(), aborted(late.signal)])
  } catch {
    // What it threw stays in the program: it may quote secrets, and people need not read it.
    return { failed: late.signal.aborted ? 'timed_out' : 'threw' }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    // What still runs for it is told that no caller waits any more.
    stop()
  }
  if (given === LATE) return { failed: 'timed_out' }
  try {
    return { preview: readPreview(typeof given === 'string' ? { summary: given } : given) }
  } catch (error) {
    return { failed: isCountersignError(error, 'too_large') ? 'too_large' : 'invalid' }
  }
}

const LATE = Symbol('late')

function aborted(signal: AbortSignal): Promise<typeof LATE> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(LATE)
    else signal.addEventListener('abort', () => resolve(LATE), { once: true })
  })
}
