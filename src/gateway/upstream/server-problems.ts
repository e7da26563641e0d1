import type { JsonObject } from '../../base/json/json.ts'
import { textResult } from '../downstream/call-result.ts'
import type { SessionOptions } from '../downstream/session-options.ts'
import { RPC, RpcError } from '../protocol/message.ts'
import { shortened } from '../protocol/shortened.ts'
import type { Catalog } from './catalog.ts'
import type { Connections } from './connections.ts'
import { hiddenOf } from './upstream-spec.ts'

/** What keeps the servers of one client from being used, and how that is told. */
export interface ServerProblems {
  /** By alias. */
  list(): readonly Problem[]
  /** All of them as the error of a request. */
  broken(): RpcError
  /** It may be there in a moment. */
  isComing(alias: string): boolean
  /** The answer to `countersign_status`. */
  status(): JsonObject
  unknownTool(name: string): RpcError
}

export type Problem = readonly [alias: string, why: string]

export function createServerProblems(
  { specs, isSingle }: Pick<SessionOptions, 'specs' | 'isSingle'>,
  connections: Connections,
  catalog: Catalog,
): ServerProblems {
  function problems(): Problem[] {
    return specs.flatMap((spec): Problem[] => {
      const { alias } = spec
      const why = connections.problem(alias) ?? catalog.problem(alias)?.message
      if (why === undefined) return []
      return [[alias, hiddenOf(spec).reduce((text, one) => text.replaceAll(one, '[secret]'), why)]]
    })
  }

  function broken(): RpcError {
    return new RpcError(
      RPC.internal,
      problems()
        .map(([, why]) => why)
        .join('; '),
    )
  }

  function isComing(alias: string): boolean {
    return connections.isStarting(alias) || catalog.isListing(alias)
  }

  function status(): JsonObject {
    const found = problems()
    const live = connections.live().filter(({ spec }) => !found.some(([one]) => one === spec.alias))
    const lines = [
      ...live.map(({ spec }) => `Server ${spec.alias} is connected.`),
      ...found.map(problemLine),
    ]
    return textResult(lines.join('\n'), false)
  }

  /** One of a server that is away cannot be known; then that is what to say. */
  function unknownTool(name: string): RpcError {
    const away = specs
      .filter(({ alias }) => isSingle || name.startsWith(`${alias}_`))
      .map(({ alias }) => alias)
    const why = problems().flatMap(([alias, text]) => (away.includes(alias) ? [text] : []))
    return new RpcError(RPC.invalidParams, [`Unknown tool: ${name}`, ...why].join('; '))
  }

  return { list: problems, broken, isComing, status, unknownTool }
}

/** For models as well: what a server wrote is quoted. */
export function problemLine([alias, why]: Problem): string {
  return `Server ${alias} cannot be used now: ${shortened(why)}.`
}
