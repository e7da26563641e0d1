import { CountersignError } from '../base/errors.ts'
import { plainEnv } from '../gateway/upstream/child-command.ts'
import { createSignIns, type SignIns } from '../gateway/upstream/oauth/sign-ins.ts'
import {
  ALLOW_HINT,
  type HttpSpec,
  isThisMachine,
  specOf,
  type UpstreamSpec,
} from '../gateway/upstream/upstream-spec.ts'
import type { Policy } from '../policy/policy.ts'
import type { Route } from '../server/http/route.ts'
import type { ClientSources } from '../server/oauth/client-document.ts'
import type { Services } from '../server/services.ts'
import type { Upstreams } from '../server/upstreams.ts'
import type { Store } from '../store/store.ts'
import type { KeyFolder } from '../store/vault.ts'
import { addServerRoutes, mcpVariables, type Reach } from './add-server-routes.ts'
import { type ChatUpstreams, createChatUpstreams } from './chat-upstreams.ts'
import { declaredServers, mcpDoor, type Specs, toolRoutes } from './mcp-routes.ts'
import { serverSignInRoutes } from './server-sign-in-routes.ts'
import { words } from './space-separated.ts'
import { tryDoor } from './try-routes.ts'
import { createUpstreams } from './upstreams.ts'

/** MCP servers behind the gate, for `createCountersign({ mcp })`. */
export interface McpGateway {
  open(context: GatewayContext): OpenGateway
}

export interface GatewayContext {
  /** Where people decide, as far as that is known. */
  readonly inbox: () => string | undefined
  readonly log: (line: string) => void
  readonly store: Store
  /** Seal what is kept of sign-ins at servers; without them none can be kept. */
  readonly keys: KeyFolder | undefined
  /** Tools of this program itself, as one more server. */
  readonly hosted?: ((policy: Policy) => readonly UpstreamSpec[]) | undefined
}

export interface OpenGateway {
  routes(services: Services): readonly Route[]
  upstreams(store: Store, policy: () => Promise<Policy>): Upstreams
  /** The same tools for the chat, which has a gate of its own. */
  chatTools(services: Services): ChatUpstreams
  /** Ends sessions and stops processes. */
  close(): Promise<void>
}

export interface McpGatewayOptions {
  /** Hosts of your own network that a `url` of `mcp_servers` may reach. */
  readonly allowHosts?: readonly string[]
  /** How often each server that is a command may run at once: 50 unless set. */
  readonly processes?: number
  /** How long a call is held before it is answered as pending, in milliseconds: 50,000 unless set. */
  readonly hold?: number
  /** Lets admins start a command from the inbox to see its tools, and add one: `false` unless set. */
  readonly commands?: boolean
  /**
   * People allow MCP clients to call tools for them, by OAuth: every client that publishes a client
   * ID metadata document unless narrowed. `false`: agents have the tokens that admins make.
   */
  readonly oauth?: McpOAuthOptions | false
  /** Fills in `${NAME}` in the policy's `mcp_servers`: `process.env` unless set. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface McpOAuthOptions {
  /** Hosts whose clients are taken, such as `claude.ai`; those of every public host unless set. */
  readonly clients?: readonly string[]
  /** Hosts of your own network whose documents are read; on this machine also without https. */
  readonly allowHosts?: readonly string[]
}

/** Serves the `mcp_servers` of the policy at `/mcp`. Needs Node: servers may be processes. */
export function mcpGateway(options: McpGatewayOptions = {}): McpGateway {
  const { allowHosts = [], env = process.env, processes, hold, commands = false } = options
  const { oauth = {} } = options
  return gatewayTo((policy, tell) => declaredServers(policy, env, tell, allowHosts), {
    reach(alias, connection) {
      const hosts = [...allowHosts, ...words(env.COUNTERSIGN_MCP_ALLOW)]
      const spec = specOf(alias, connection, mcpVariables(env), hosts)
      if (spec?.kind === 'http') assertAllowed(spec, hosts)
      if (spec?.kind !== 'stdio') return spec
      // What every program gets, such as PATH; no page can have it filled in.
      return { ...spec, env: { ...plainEnv(env, process.platform), ...spec.env } }
    },
    commands,
    ...(oauth === false ? {} : { oauth: clientSources(oauth) }),
    ...(processes === undefined ? {} : { processes }),
    ...(hold === undefined ? {} : { hold }),
  })
}

function clientSources({ clients, allowHosts = [] }: McpOAuthOptions): ClientSources {
  return { allowHosts, clients }
}

/** The author of a file reaches this machine anyway; an admin in a browser, where it is allowed. */
function assertAllowed({ alias, url }: HttpSpec, hosts: readonly string[]): void {
  if (!isThisMachine(url) || hosts.includes(url.host) || hosts.includes(url.hostname)) return
  throw new CountersignError('usage', `the address of server ${alias} is on this machine`, {
    hint: ALLOW_HINT,
  })
}

export interface GatewayParts {
  readonly processes?: number
  readonly hold?: number
  /** Whether agents reach the servers at `/mcp`; else people only look at them and try them. */
  readonly isEndpoint?: boolean
  /** How a server is reached that no file names yet; absent where none can be tried. */
  readonly reach?: Reach
  /** Whose clients people may allow at `/mcp`. */
  readonly oauth?: ClientSources
  /** Whether that may be a command. */
  readonly commands?: boolean
  /** Sign-ins at servers, where the program that opens the gateway holds them already. */
  readonly signIns?: SignIns
}

export function gatewayTo(
  specs: Specs,
  { isEndpoint = true, reach, oauth, commands = false, signIns: held, ...parts }: GatewayParts,
): McpGateway {
  return {
    open({ inbox, log, hosted, store, keys }) {
      const signIns = held ?? createSignIns({ store, keys })
      const all: Specs = (policy, tell) => [
        ...specs(policy, tell).map(signIns.attach),
        ...(hosted?.(policy) ?? []),
      ]
      const options = { ...parts, specs: all, inbox, log }
      const trying = tryDoor(options)
      const agents = isEndpoint ? mcpDoor({ ...options, oauth }) : undefined
      let chat: ChatUpstreams | undefined
      return {
        routes: (services) => [
          ...(agents ? agents.routes(services) : toolRoutes(services)),
          ...trying.routes(services),
          ...(reach ? addServerRoutes(services, { reach, commands }) : []),
          ...serverSignInRoutes(services, { signIns, specs: all }),
        ],
        upstreams: (store, policy) =>
          createUpstreams({
            ...{ store, policy, signIns, specs: all },
            takesCommands: reach ? commands : false,
          }),
        chatTools(services) {
          chat ??= createChatUpstreams({ services, specs: all, log })
          return chat
        },
        async close() {
          await Promise.all([agents?.close(), trying.close(), chat?.close()])
        },
      }
    },
  }
}
