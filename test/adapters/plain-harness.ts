import { guard } from '../../src/adapters/tools/guard.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { Gate } from '../../src/gate/gate.ts'
import type { AdapterHarness, Turned } from '../../src/testing/adapter-harness.ts'

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
    guardsAgain: 'The run is named with each call, and a guarded function is not guarded again.',
    native: true,
    nativeByUser: 'A function gets the arguments; what else it knows, it knows by itself.',
    handsOver: true,
  },
  agent({ gate, run, tools, turns, native }) {
    const guarded = new Map(
      Object.entries(tools).map(([name, { description, schema, run: work }]) => [
        name,
        guard(gate, work as (args: object) => unknown, {
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
          const result = await guarded.get(tool)?.(args, given)
          return { id, text: typeof result === 'string' ? result : JSON.stringify(result) }
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
    // Both kinds of gates can delegate.
    const handed = (gate as Gate).delegate('deputy', deputy)
    const start = async (): Promise<Turned> => {
      const told: Turned['told'][number][] = []
      for (const id of ids) {
        told.push({ id, text: String(await handed({ amount: 5 }, { run, key: id })) })
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
