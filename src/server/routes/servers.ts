import type { ServerList } from '../../api/servers.ts'
import { given } from '../../base/json/json.ts'
import type { GrantPage } from '../../store/grants.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { createKnownTools, type KnownTools } from '../known-tools.ts'
import type { Services } from '../services.ts'
import { waysAround } from '../view/bypasses.ts'
import { ownTools, serversOf } from '../view/server.ts'
import { wireSwitch } from './switches.ts'

/** The servers behind the gate: what they offer, what is asked about it, and what changed. */
export function serverRoutes(services: Services): Route[] {
  const { store, gate, policyNow, active, upstreams, credentials, observing } = services
  const knownTools = createKnownTools(store)

  /** Held back only: asked for by every page, so it counts nothing. */
  async function list({ person }: PersonCaller, isHeld = false): Promise<ServerList> {
    const [policy, servers = [], tools = [], found, known, live, now] = await Promise.all([
      policyNow(),
      upstreams?.servers(),
      upstreams?.tools(),
      gate.admin.switches.list(),
      isHeld ? NOTHING_KNOWN : knownTools(),
      isHeld ? NO_GRANTS : store.grants.list({ state: ['live'] }),
      store.now(),
    ])
    const switches = await Promise.all(found.map((one) => wireSwitch(one, credentials.accounts)))
    const can: ServerList['can'][number][] = []
    const isAdmin = person.roles.includes('admin')
    if (isAdmin) can.push('switch')
    if (isAdmin && upstreams) can.push('accept', 'sign-in')
    if (isAdmin && upstreams && active.edit) can.push('add')
    if (isAdmin && upstreams?.takesCommands) can.push('commands')
    if (upstreams && (isAdmin || person.roles.includes('approver'))) can.push('look', 'try')
    const all = { policy, servers, tools, switches, known }
    const view = { servers: serversOf(all), own: ownTools(all) }
    const grants = live.grants
      .filter(({ endsAt }) => endsAt > now)
      .map(({ scope: { agent, server, tool }, limits, uses, endsAt }) => ({
        ...{ agent, tool, left: limits.uses - uses, endsAt },
        ...given({ server }),
      }))
    return {
      ...view,
      ways: waysAround({ ...view, policy, observing, grants }),
      countedSince: known.since,
      now,
      can: person.locked ? [] : can,
    }
  }

  return [
    route('GET /v1/servers', async ({ caller, query, reply }) => {
      const isHeld = query.held === true
      const found = await list(personOf(caller), isHeld)
      return reply(200, isHeld ? onlyHeld(found) : found)
    }),
    route('POST /v1/servers/look', async ({ caller, reply }) => {
      await upstreams?.look()
      return reply(200, await list(personOf(caller)))
    }),
  ]
}

const NOTHING_KNOWN: KnownTools = { registered: [], counts: [], since: 0 }
const NO_GRANTS: GrantPage = { grants: [] }

/** Enough to say on every page that something changed. */
function onlyHeld(list: ServerList): ServerList {
  const held = list.servers.map((server) => ({
    ...server,
    tools: server.tools.filter(({ change }) => change !== undefined),
  }))
  return { ...list, own: [], ways: [], servers: held.filter(({ tools }) => tools.length > 0) }
}
