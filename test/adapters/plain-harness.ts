import { guard } from '../../src/adapters/tools/guard.ts'
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
  agent({ gate, run, tools, turns }) {
    const guarded = new Map(
      Object.entries(tools).map(([name, { description, schema, run: work }]) => [
        name,
        guard(gate, work as (args: object) => unknown, { name, description, schema }),
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
}
