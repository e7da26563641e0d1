import type { TestedServer } from '../api/servers.ts'
import { CountersignError } from '../base/errors.ts'
import type { Pins } from '../gateway/upstream/pins.ts'
import { lookAt } from '../gateway/upstream/probe-upstream.ts'
import type { UpstreamSpec } from '../gateway/upstream/upstream-spec.ts'
import type { Connection } from '../policy/document.ts'
import { type Route, route } from '../server/http/route.ts'
import { packageVersion } from './version.ts'

export type Reach = (alias: string, connection: Connection) => UpstreamSpec | undefined

type Env = Readonly<Record<string, string | undefined>>

/**
 * A file may name any variable of this process, because its author could read them anyway. An admin
 * in a browser could send them anywhere, so a test fills in those that are meant for servers.
 */
export function mcpVariables(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('MCP_')))
}

/** Nothing is pinned: what a test lists is not in use. */
const NO_PINS: Pins = {
  admit: async (_, tools) => tools.map(() => undefined),
  list: async () => [],
  accept: async () => false,
}

/**
 * Tries a server before a file names it. By address alone: a command would run on this machine, and
 * that takes a file of this machine.
 */
export function serverTestRoutes(reach: Reach): readonly Route[] {
  return [
    route('POST /v1/servers/test', async ({ body: { alias, url, headers }, reply }) => {
      const spec = reach(alias, { url, headers })
      if (!spec) throw new CountersignError('usage', 'this server cannot be reached')
      const { tools, problem, name, version } = await lookAt(spec, NO_PINS, packageVersion())
      const answer: TestedServer = {
        ...(problem === undefined ? {} : { problem }),
        ...(name === undefined ? {} : { name }),
        ...(version === undefined ? {} : { version }),
        tools: tools.map(({ tool, risk, definition: { description } }) => ({
          tool,
          risk,
          ...(description === undefined ? {} : { description }),
        })),
      }
      return reply(200, answer)
    }),
  ]
}
