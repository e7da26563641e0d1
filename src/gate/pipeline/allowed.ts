import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Outcome } from '../outcome.ts'
import type { NamedTool } from '../tool.ts'
import { AllowedContext } from './allowed-context.ts'
import { endedBy } from './ended-by.ts'

/** Starts a tool that needs no approval, and returns its own promise: a second one would cost. */
export function startAllowed<R>(
  tool: NamedTool<R>,
  call: Call,
  args: JsonObject,
  signal: AbortSignal | undefined,
): Promise<R> {
  try {
    const started = tool.start(args, new AllowedContext(call, signal))
    return started instanceof Promise ? started : Promise.resolve(started)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** What a tool's promise says of its call. */
export function settled<R>(tool: string, running: Promise<R>): Promise<Outcome<R>> {
  return running.then(succeeded, (error) => endedBy(tool, error))
}

function succeeded<R>(result: R): Outcome<R> {
  return { status: 'succeeded', ran: true, result }
}
