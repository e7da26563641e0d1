import { canonicalJson } from '../../src/base/json/canonical.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { Tool } from '../../src/gate/tool.ts'
import { openLog } from './log.ts'

/** What a tool says about itself, outside of the database: the only proof that it ran. */
export interface Sighting {
  readonly phase: 'start' | 'end' | 'threw'
  readonly tool: string
  readonly approval: string
  readonly claim: string
  /** The bytes it was given. */
  readonly args: string
  /** The store's clock when it happened. */
  readonly at: number
}

export type WitnessTool = Tool<JsonObject, JsonObject>

/** Tools that write down each start and each end before they do anything else. */
export function witnessTools(
  path: string,
  names: readonly string[],
  { inside, now }: { inside: () => void; now: () => number },
): ReadonlyMap<string, WitnessTool> {
  const log = openLog<Sighting>(path)
  return new Map(names.map((name) => [name, witnessTool(name)]))

  function witnessTool(name: string): WitnessTool {
    return {
      name,
      definition: { description: `writes down that ${name} ran` },
      async run(args, { approval }) {
        const seen = {
          tool: name,
          approval: approval?.id ?? '',
          claim: approval?.execution?.claim ?? '',
          args: canonicalJson(args),
          at: now(),
        }
        log.write({ phase: 'start', ...seen })
        inside()
        // Something takes time in every real tool, and others go on meanwhile.
        await new Promise((resolve) => setImmediate(resolve))
        if (args.fails === true) {
          log.write({ phase: 'threw', ...seen })
          throw new Error('the tool failed')
        }
        log.write({ phase: 'end', ...seen })
        return { paid: args.amount ?? 0 }
      },
    }
  }
}
