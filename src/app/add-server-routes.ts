import { commandText, entryLines, type ServerEntry } from '../api/mcp/server-entry.ts'
import type { TestedServer } from '../api/servers.ts'
import { CountersignError } from '../base/errors.ts'
import { sha256 } from '../base/json/digest.ts'
import type { Pins } from '../gateway/upstream/pins.ts'
import { lookAt } from '../gateway/upstream/probe-upstream.ts'
import type { UpstreamSpec } from '../gateway/upstream/upstream-spec.ts'
import type { Connection } from '../policy/document.ts'
import { withServer } from '../policy/tooling/add-server.ts'
import { personOf, type Route, route } from '../server/http/route.ts'
import type { Caller } from '../server/identity/caller.ts'
import type { Services } from '../server/services.ts'
import type { AdminEvent } from '../store/audit/audit-entry.ts'
import { STUDIO } from './studio-rules.ts'
import { packageVersion } from './version.ts'

export type Reach = (alias: string, connection: Connection) => UpstreamSpec | undefined

type Env = Readonly<Record<string, string | undefined>>

/**
 * A file may name any variable of this process, because its author could read them anyway. An admin
 * in a browser could send them anywhere, so a test fills in those that are meant for servers.
 */
export function mcpVariables(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isForServers(name)))
}

const isForServers = (name: string) => name.startsWith('MCP_')

/** Nothing is pinned: what a test lists is not in use. */
const NO_PINS: Pins = {
  admit: async (_, tools) => tools.map(() => undefined),
  list: async () => [],
  accept: async () => false,
}

/** For a server to start and to list its tools. Then its process is ended, whatever it does. */
const TRY_MS = 30_000

interface AddServerParts {
  readonly reach: Reach
  /** Whether the operator lets admins name commands: they run on this machine. */
  readonly commands: boolean
}

/**
 * Tries a server before a file names it, and writes it into the file. A command runs as the user who
 * runs this process, so the operator has to allow it, and a person confirms the exact words.
 */
export function addServerRoutes(
  { active, store }: Pick<Services, 'active' | 'store'>,
  { reach, commands }: AddServerParts,
): readonly Route[] {
  /** No record, no act. */
  async function record(caller: Caller, type: AdminEvent['type'], facts: AdminEvent['facts']) {
    const { issuer, subject } = personOf(caller).person
    await store.amend({
      commandId: crypto.randomUUID(),
      event: { type, by: { person: { issuer, subject } }, facts: facts ?? {} },
      changes: [],
    })
  }

  function checked(entry: ServerEntry): UpstreamSpec {
    const { alias, url, headers, command, args, env } = entry
    if ((url === undefined) === (command === undefined)) {
      throw new CountersignError('usage', 'a server has an address or a command, and one of them')
    }
    if (command !== undefined && !commands) {
      throw new CountersignError('usage', 'commands are not started from the inbox here', {
        hint: 'Start the server with --mcp-commands, or add the lines to the policy file yourself.',
      })
    }
    const spec = reach(
      alias,
      url === undefined
        ? { ...(command === undefined ? {} : { command }), args: args ?? [], env: env ?? {} }
        : { url, headers: headers ?? {} },
    )
    if (!spec) throw new CountersignError('usage', 'this server cannot be reached')
    return spec
  }

  return [
    route('POST /v1/servers/test', async ({ c, caller, body: { runs, ...entry }, reply }) => {
      const spec = checked(entry)
      if (spec.kind === 'stdio') {
        if (runs !== commandText(entry)) {
          throw new CountersignError('usage', 'what would run is not what was confirmed')
        }
        const digest = await sha256(commandText(entry))
        await record(caller, 'server.tried', { server: entry.alias, digest })
      }
      const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(TRY_MS)])
      const looked = await lookAt(spec, NO_PINS, packageVersion(), signal)
      return reply(200, testedServer(looked))
    }),
    route('POST /v1/policy/draft/servers', async ({ caller, body: entry, reply }) => {
      const { edit } = active
      if (!edit) {
        throw new CountersignError(
          'usage',
          'the policy of this server is in no file it can write',
          {
            hint: 'Add the lines where the policy is made.',
          },
        )
      }
      checked(entry)
      assertFree(entry, active.state().running.policy.owner.servers)
      const lines = entryLines(entry)
      const digest = await sha256(lines.join('\n'))
      await record(caller, 'policy.drafted', { server: entry.alias, digest })
      edit((owner) => withServer(owner?.text ?? 'version: 1\n', lines))
      const draft = await active.draft()
      if (!draft) throw new CountersignError('not_found', 'this server has no policy files')
      return reply(200, draft)
    }),
  ]
}

/** Another server's name, and that of the studio, are taken; so may be one that only the file has. */
function assertFree({ alias }: ServerEntry, servers: ReadonlyMap<string, unknown>): void {
  if (alias !== STUDIO && !servers.has(alias)) return
  throw new CountersignError('usage', `there is a server ${JSON.stringify(alias)} already`, {
    hint: 'Choose another alias, or change its entry in the policy file.',
  })
}

const SIGN_IN_LATER = 'A server whose users sign in is added first; then sign in at it under Tools'

function testedServer(looked: Awaited<ReturnType<typeof lookAt>>): TestedServer {
  const { tools, name, version, asksForSignIn } = looked
  const problem = asksForSignIn ? `${looked.problem}. ${SIGN_IN_LATER}` : looked.problem
  return {
    ...(problem === undefined ? {} : { problem }),
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    tools: tools.map(({ tool, risk, definition: { description } }) => ({
      tool,
      risk,
      ...(description === undefined ? {} : { description }),
    })),
  }
}
