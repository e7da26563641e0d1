import type { AnyGate } from '../../gate/any-gate.ts'
import { guardHooks, type SessionAsking } from './guard-hooks.ts'
import { withHooks } from './guard-options.ts'
import type { QueryOptions } from './sdk-types.ts'

/** As much of the SDK's `query` as is needed here. */
type AnyQuery = (params: never) => AsyncGenerator<unknown, unknown, unknown>

/**
 * The SDK's `query`, with a gate in front of all tools. When Claude Code goes away in the middle of
 * a call, that is noticed here: the call is written down as unknown.
 */
export function guardQuery<F extends AnyQuery>(
  gate: AnyGate,
  query: F,
  asking: SessionAsking = {},
): F {
  // Mistakes in what was asked for are told now, and not when the first query is made.
  guardHooks(gate, asking)
  const guarded = (params: { readonly options?: QueryOptions }) => {
    const own = guardHooks(gate, asking)
    const messages = query({ ...params, options: withHooks(params.options ?? {}, own) } as never)
    return untilOver(messages, () => own.lose(() => true))
  }
  return guarded as unknown as F
}

/** The same generator with all its methods; `onOver` is called when it has ended, in any way. */
function untilOver<Q extends AsyncGenerator>(messages: Q, onOver: () => void): Q {
  const proxy: Q = new Proxy(messages, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (name === Symbol.asyncIterator) return () => proxy
      const call = member.bind(target) as (...args: unknown[]) => unknown
      if (name !== 'next' && name !== 'return' && name !== 'throw') return call
      return async (...args: unknown[]) => {
        let isOver = name !== 'next'
        try {
          const result = (await call(...args)) as IteratorResult<unknown>
          isOver ||= result.done === true
          return result
        } catch (error) {
          isOver = true
          throw error
        } finally {
          if (isOver) onOver()
        }
      }
    },
  })
  return proxy
}
