import { CountersignError } from '../base/errors.ts'
import { isPlainObject, type JsonObject } from '../base/json/json.ts'
import { internals } from '../gate/internals.ts'
import {
  checkPreviewing,
  type PreviewFunction,
  type Previewing,
} from '../gate/preview/previewing.ts'
import type { ToolGate } from '../gate/tool-gate.ts'

/** What every adapter has to know of the conversation it guards. */
export interface Asking {
  /** The chat, thread or workflow. Together with the SDK's id of a call it names that call. */
  readonly run: string
  /**
   * `suspend`: the SDK pauses, and the run goes on later, anywhere. `block`: the call blocks
   * the tool, which is the only way where the SDK loses pauses: in sub-agents.
   */
  readonly mode?: 'suspend' | 'block'
  /** How long a blocked call waits: `'2m'`, or milliseconds. Then the question is withdrawn. */
  readonly waitFor?: string | number
  /** What calls would do, by the name of the tool: for tools that the SDK declares. */
  readonly previews?: { readonly [tool: string]: PreviewFunction }
}

/** The preview of one tool. Models name tools, too: nothing inherited is one. */
export function previewFor({ previews }: Pick<Asking, 'previews'>, tool: string): Previewing {
  const preview = previews && Object.hasOwn(previews, tool) ? previews[tool] : undefined
  return preview ? { preview } : {}
}

/**
 * What the agent that hands work over was given itself: rules read it as `parent.input.<key>`. A
 * value, or a function of what the SDK knows of the run. Without it, or where the function throws,
 * the input is unknown, and rules that read it ask. What the model wrote is never taken for it.
 */
export type ParentInput<C = unknown> =
  | JsonObject
  | ((context: C) => JsonObject | undefined)
  | undefined

/** The real input of the delegating agent, as far as the application says it. */
export function parentInput<C>(parent: ParentInput<C>, context: C): JsonObject | undefined {
  if (typeof parent !== 'function') return parent
  try {
    const input = parent(context)
    return isPlainObject(input) ? input : undefined
  } catch {
    return undefined
  }
}

export function checkAsking(gate: ToolGate, asking: Asking): void {
  const { run, mode = 'suspend', previews = {} } = asking
  for (const preview of Object.values(previews)) checkPreviewing({ preview })
  if (typeof gate?.run !== 'function' || typeof gate?.check !== 'function') {
    throw new CountersignError('usage', 'tools cannot be guarded without a gate', {
      hint: 'Pass what createGate() or remoteGate() gave you first.',
    })
  }
  if (typeof run !== 'string' || run === '') {
    throw new CountersignError('usage', 'tools are guarded for one run, and none is named', {
      hint: 'Pass { run: chatId }: without it a resumed call could not be told from a new one.',
    })
  }
  if (mode !== 'suspend' && mode !== 'block') {
    throw new CountersignError('usage', `${String(mode)} is no way to wait`, {
      hint: "mode is 'suspend' or 'block'.",
    })
  }
}

/**
 * A tool that is guarded again stays one of the server it came from: put together with the tools of
 * another server, it would be judged by the rules of that one.
 */
export function checkOrigin(
  name: string,
  before: string | undefined,
  server: string | undefined,
): void {
  if (server === undefined || server === before) return
  const origin = before === undefined ? 'your own' : `server ${before}`
  throw new CountersignError('usage', `${name} is guarded as a tool of ${origin} already`, {
    hint: `Guard the tools of server ${server} by themselves, then put them together with the others.`,
  })
}

/** A tool that runs somewhere else cannot be held here: only what policy always allows may pass. */
export function checkForeign(gate: ToolGate, name: string, server?: string): void {
  // Whether all calls of a server's tools are allowed cannot be known at once.
  if (server === undefined && gate[internals].allowsAll(name)) return
  throw new CountersignError('usage', `the tool ${name} has no execute, so it cannot be guarded`, {
    hint: 'Give it an execute here, or let the policy allow it whatever its arguments are. With remoteGate, await gate.ready() first.',
  })
}
