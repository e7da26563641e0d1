import type { JsonObject } from '../../src/base/json/json.ts'
import { isCallBlocked } from '../../src/gate/call-blocked.ts'
import type { Guarded, GuardedCallOptions } from '../../src/gate/guard.ts'
import type { AdapterHarness, Turned } from '../../src/testing/adapter-harness.ts'

/** What the loop gives the model: the result and what is said besides it, or why there is none. */
async function textOf<A>(
  guarded: Guarded<A, unknown> | undefined,
  args: A,
  options: GuardedCallOptions,
): Promise<string> {
  const said: string[] = []
  const onModelMessage = (text: string) => void said.push(text)
  try {
    const result = await guarded?.(args, { ...options, onModelMessage })
    return [...said, typeof result === 'string' ? result : JSON.stringify(result)].join('\n')
  } catch (error) {
    if (isCallBlocked(error)) return error.modelMessage
    throw error
  }
}

/** The smallest agent loop there is: it calls what the model says, all at once. */
export const plainHarness: AdapterHarness = {
  name: 'plain functions',
  supports: {
    suspend: false,
    elsewhere: false,
    nestedPause: false,
    inBand: false,
    partial: true,
    ordered: true,
  },
  tries: {
    anyName: true,
    guardsAgain: 'The run is named with each call, and a guarded function is not guarded again.',
    native: true,
    nativeByUser: 'A function gets the arguments; what else it knows, it knows by itself.',
    handsOver: true,
  },
  agent({ gate, run, tools, turns, native }) {
    const guarded = new Map(
      Object.entries(tools).map(([name, { description, schema, run: work }]) => [
        name,
        gate.guard(work as (args: object) => unknown, {
          name,
          description,
          schema,
          approval: native?.[name],
        }),
      ]),
    )

    async function start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Turned> {
      const told: Turned['told'][number][] = []
      for (const turn of turns) {
        if (!('calls' in turn)) continue
        const texts = turn.calls.map(async ({ id, tool, args }) => {
          const given = { run, key: id, ...(signal ? { signal } : {}) }
          return { id, text: await textOf(guarded.get(tool), args, given) }
        })
        told.push(...(await Promise.all(texts)))
      }
      return { status: 'done', told }
    }

    return {
      start,
      resume: start,
      state() {
        throw new Error('plain functions have no state')
      },
    }
  },
  handOver({ gate, run, ids }) {
    const taken: string[] = []
    const deputy = (args: JsonObject) => {
      taken.push(JSON.stringify(args))
      return 'taken'
    }
    const handed = gate.delegate('deputy', deputy)
    const start = async (): Promise<Turned> => {
      const told: Turned['told'][number][] = []
      for (const id of ids) {
        told.push({ id, text: await textOf(handed, { amount: 5 }, { run, key: id }) })
      }
      return { status: 'done', told }
    }
    return {
      agent: { start, resume: start, state: () => '' },
      waits: 'block',
      taken,
      edit: { args: { amount: 7 }, takes: '{"amount":7}' },
    }
  },
}
