import { isPlainObject } from '../../base/json/json.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { guardHooks, type SessionAsking } from './guard-hooks.ts'
import { withHooks } from './guard-options.ts'
import type { QueryOptions } from './sdk-types.ts'

/** As much of the SDK's `query` as is needed here. */
type AnyQuery = (params: never) => AsyncGenerator<unknown, unknown, unknown>

interface Params {
  readonly prompt?: unknown
  readonly options?: QueryOptions & { readonly resume?: string }
}

/**
 * The SDK's `query`, with a gate in front of all tools. When Claude Code goes away in the middle of
 * a call, that is noticed here: the call is written down as unknown.
 */
export function guardQuery<F extends AnyQuery>(
  gate: ToolGate,
  query: F,
  asking: SessionAsking = {},
): F {
  // Mistakes in what was asked for are told now, and not when the first query is made.
  guardHooks(gate, asking)
  const guarded = ({ prompt, options = {}, ...rest }: Params) => {
    const own = guardHooks(gate, asking)
    const open = typeof prompt === 'string' && options.resume ? keptOpen(prompt) : undefined
    const given = { ...rest, prompt: open?.messages ?? prompt, options: withHooks(options, own) }
    return watched(query(given as never), {
      onMessage(message) {
        if (isLastResult(message)) open?.close()
      },
      onOver() {
        open?.close()
        own.lose(() => true)
      },
    })
  }
  return guarded as unknown as F
}

/**
 * The SDK stops listening to its hooks after the first result of a query with a plain text. But a
 * resumed one first says that its deferred call is unavailable, and then asks about it.
 */
function keptOpen(text: string): { messages: AsyncGenerator; close(): void } {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  async function* messages() {
    const message = { role: 'user', content: text }
    yield { type: 'user', message, parent_tool_use_id: null, session_id: '' }
    await closed
  }
  return { messages: messages(), close }
}

function isLastResult(message: unknown): boolean {
  if (!isPlainObject(message) || message.type !== 'result') return false
  return message.stop_reason !== 'tool_deferred_unavailable'
}

interface Watching {
  readonly onMessage: (message: unknown) => void
  /** It has ended, in any way. */
  readonly onOver: () => void
}

/** Ways to end a query besides going through its messages. */
const ENDINGS: readonly (string | symbol)[] = ['return', 'throw', 'close', Symbol.asyncDispose]

/** The same generator, with all its methods. */
function watched<Q extends AsyncGenerator>(generator: Q, { onMessage, onOver }: Watching): Q {
  async function next(...args: [] | [unknown]): Promise<IteratorResult<unknown>> {
    let isOver = true
    try {
      const result = await generator.next(...args)
      isOver = result.done === true
      onMessage(result.value)
      return result
    } finally {
      if (isOver) onOver()
    }
  }
  const proxy: Q = new Proxy(generator, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (name === 'next') return next
      if (name === Symbol.asyncIterator) return () => proxy
      const call = member.bind(target) as (...args: unknown[]) => unknown
      if (!ENDINGS.includes(name)) return call
      return (...args: unknown[]) => {
        onOver()
        return call(...args)
      }
    },
  })
  return proxy
}
