import { foldAddress } from '../base/address.ts'
import { CountersignError, isCountersignError } from '../base/errors.ts'
import { given } from '../base/json/json.ts'
import { createPatience } from '../gateway/downstream/client.ts'
import { holdRun, ownerOf } from '../gateway/downstream/held-run.ts'
import { createHttpEndpoint, type HttpCaller } from '../gateway/downstream/http/http-endpoint.ts'
import { createRuns } from '../gateway/downstream/modern-run.ts'
import type { SessionOptions } from '../gateway/downstream/session-options.ts'
import { createUses } from '../gateway/upstream/last-used.ts'
import { createPins, type Pins } from '../gateway/upstream/pins.ts'
import { assessRisk } from '../gateway/upstream/risk.ts'
import { specOf, type UpstreamSpec } from '../gateway/upstream/upstream-spec.ts'
import { declaredRisk } from '../policy/evaluate/declared.ts'
import { verdictWord } from '../policy/evaluate/evaluate.ts'
import type { Policy } from '../policy/policy.ts'
import { homeOf } from '../server/http/home.ts'
import { agentOf, personOf, type Route, route } from '../server/http/route.ts'
import type { AgentCaller } from '../server/identity/caller.ts'
import { type ClientSources, isTaken } from '../server/oauth/client-document.ts'
import { challengeAt } from '../server/oauth/metadata.ts'
import { oauthRoutes } from '../server/oauth/routes.ts'
import type { Services } from '../server/services.ts'
import type { Store } from '../store/store.ts'
import { words } from './space-separated.ts'
import { packageVersion } from './version.ts'

/** The servers of the policy that say how they are reached. One that cannot be is left out. */
export function declaredServers(
  { owner }: Policy,
  env: Readonly<Record<string, string | undefined>>,
  log: (line: string, alias: string) => void,
  allow: readonly string[] = [],
): UpstreamSpec[] {
  const allowHosts = [...allow, ...words(env.COUNTERSIGN_MCP_ALLOW)]
  return [...owner.servers.values()].flatMap(({ alias, connection }) => {
    try {
      return specOf(alias, connection, env, allowHosts) ?? []
    } catch (error) {
      if (!isCountersignError(error)) throw error
      log(`${error.message}; its tools are not offered. ${error.hint ?? ''}`, alias)
      return []
    }
  })
}

/** What `allowed_tools` leaves out can never run, so there is no use in showing it. */
export function isOffered({ owner }: Policy, server: string, tool: string): boolean {
  return owner.servers.get(server)?.allowed?.has(tool) !== false
}

export function pinsFor(store: Store, policy: () => Promise<Policy>): Pins {
  const isAsked = async (server: string, tool: string) =>
    verdictWord(await policy(), { server, tool, args: {} }) !== 'allow'
  return createPins({ store, isAsked })
}

/** How the servers of a policy are reached; tells of those that cannot be. */
export type Specs = (
  policy: Policy,
  tell: (line: string, alias: string) => void,
) => readonly UpstreamSpec[]

export interface McpDoorOptions {
  /** The servers of the policy in force when a session begins. */
  readonly specs: Specs
  /** Where people decide. */
  readonly inbox: () => string | undefined
  /** How long a call is held, in milliseconds. */
  readonly hold?: number
  /** How often each server that is a process may run at once. */
  readonly processes?: number | undefined
  /** Whose clients people may allow; tokens that admins make are the only ones unless set. */
  readonly oauth?: ClientSources | undefined
  log(line: string): void
}

const HOLD_MS = 50_000

/** `/mcp` as routes of the server, and what people do about tools that changed. */
export function mcpDoor(options: McpDoorOptions) {
  const { specs, inbox, hold = HOLD_MS, processes, oauth, log } = options
  const endpoint = createHttpEndpoint({ processes })
  let leave = () => {}

  function routes(services: Services): readonly Route[] {
    const { gate, store, credentials, policy, policyNow } = services
    const pins = pinsFor(store, policyNow)
    const uses = createUses(store.records)
    const runOf = createRuns(store)
    // When a token is revoked, in any process on this database, its sessions end.
    leave = store.onAmended(() => void endpoint.recheck().catch(() => {}))

    /** The person a token is bound to, where they have an account here. */
    async function callerOf({ token }: AgentCaller): Promise<HttpCaller> {
      const { prefix, agent, principal, client } = token
      if (client && !isTaken(client.id, oauth)) {
        throw new CountersignError('token_unknown', 'clients of this host are not taken here')
      }
      const subject = principal && foldAddress(principal)
      const id =
        client?.person ?? (subject === undefined ? undefined : { issuer: 'local', subject })
      const account = id && (await credentials.accounts.get(id))
      const isThere = account && !account.locked
      const reached = () => specs(policy(), log)
      const isValid = () => credentials.tokens.isThere(prefix)
      const email = account?.emailVerified ? given({ email: account.email }) : {}
      const bound =
        client?.person ??
        (isThere ? { issuer: account.issuer, subject: account.subject } : undefined)
      const acting = bound ? { ...bound, ...(client ? email : {}) } : principal
      return {
        owner: prefix,
        run: () => runOf(prefix, agent),
        async hold() {
          const who = { agent, issuer: 'token', subject: prefix }
          return holdRun(store, await ownerOf(who, '', reached()), agent)
        },
        isValid,
        options: (run): SessionOptions => ({
          gate: gate.with({
            door: 'mcp',
            agent,
            run,
            isValid,
            ...(acting ? { principal: acting } : {}),
          }),
          store,
          agent,
          principal: client ? (email.email ?? client.person.subject) : principal,
          run,
          // A client that came by OAuth never decides, not even for the person who allowed it.
          person:
            isThere && !client ? credentials.accounts.person(account, 'elicitation') : undefined,
          specs: reached(),
          isSingle: false,
          pins,
          isOffered: (server, tool) => isOffered(policy(), server, tool),
          saidRisk: (server, tool) => declaredRisk(policy(), { server, tool, args: {} }),
          ...createPatience(store.records, hold),
          used: uses.used,
          inbox: () => Promise.resolve(inbox()),
          version: packageVersion(),
          log,
        }),
      }
    }

    const door = (method: 'GET' | 'POST' | 'DELETE'): Route => ({
      ...route(`${method} /mcp`, async ({ c, caller, raw }) =>
        raw(await endpoint.handle(c.req.raw, await callerOf(agentOf(caller)))),
      ),
      ...(oauth ? { challenge: (c) => challengeAt(homeOf(c, services)) } : {}),
    })

    return [
      ...toolRoutes(services),
      ...[door('POST'), door('GET'), door('DELETE')],
      ...(oauth ? oauthRoutes(services, oauth) : []),
    ]
  }

  return {
    routes,
    async close() {
      leave()
      await endpoint.close()
    },
  }
}

/** What people do about tools that changed. */
export function toolRoutes({ store, policy, policyNow }: Services): readonly Route[] {
  const pins = pinsFor(store, policyNow)
  return [
    route('GET /v1/mcp/tools', async ({ reply }) => {
      const tools = (await pins.list()).map((pin) => {
        const said = declaredRisk(policy(), { server: pin.server, tool: pin.tool, args: {} })
        return { ...pin, risk: assessRisk(pin.tool, pin.definition, said).risk }
      })
      return reply(200, { tools })
    }),
    route('POST /v1/mcp/tools/:id/accept', async ({ caller, params, body, reply }) => {
      const { issuer, subject } = personOf(caller).person
      const by = { issuer, subject }
      if (await pins.accept(params.id, body.digest, by)) return reply(204)
      throw new CountersignError('call_changed', 'there is no such change to accept', {
        hint: 'Load the list again: the tool may have changed once more.',
      })
    }),
  ]
}
