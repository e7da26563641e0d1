import { isCountersignError } from '../../base/errors.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { type MadePreview, readPreview } from '../../base/preview/preview.ts'
import { type PreviewFunction, type Previewing, timeoutOf } from './previewing.ts'

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
