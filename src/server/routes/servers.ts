import type { ServerList } from '../../wire/servers.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { PEOPLE, personOf, type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { serversOf } from '../view/server.ts'
import { wireSwitch } from './switches.ts'

/** The servers behind the gate: what they offer, what is asked about it, and what changed. */
export function serverRoutes(services: Services): Route[] {
  const { store, gate, policyNow, upstreams, credentials } = services

  async function list({ person }: PersonCaller): Promise<ServerList> {
    const [policy, servers = [], tools = [], found, now] = await Promise.all([
      policyNow(),
      upstreams?.servers(),
      upstreams?.tools(),
      gate.switches.list(),
      store.now(),
    ])
    const switches = await Promise.all(found.map((one) => wireSwitch(one, credentials.accounts)))
    const can: ServerList['can'][number][] = []
    const isAdmin = person.roles.includes('admin')
    if (isAdmin) can.push('switch')
    if (isAdmin && upstreams) can.push('accept')
    if (upstreams && (isAdmin || person.roles.includes('approver'))) can.push('look', 'try')
    return {
      servers: serversOf({ policy, servers, tools, switches }),
      now,
      can: person.locked ? [] : can,
    }
  }

  return [
    route({
      method: 'get',
      path: '/v1/servers',
      who: PEOPLE,
      summary: 'The servers behind the gate and their tools: risk, what changed, and who is asked.',
      query: { held: { type: 'boolean', description: 'only tools that are held back' } },
      answer: 'A list of servers, as of the last look at each.',
      async handle({ c, caller }) {
        const found = await list(personOf(caller))
        return c.json(c.req.query('held') === 'true' ? onlyHeld(found) : found)
      },
    }),
    route({
      method: 'post',
      path: '/v1/servers/look',
      who: ['approver', 'admin'],
      summary: 'Connect to every server and list its tools. What is new or changed is noticed.',
      answer: 'The list of servers afterwards.',
      async handle({ c, caller }) {
        await upstreams?.look()
        return c.json(await list(personOf(caller)))
      },
    }),
  ]
}

/** Enough to say on every page that something changed. */
function onlyHeld(list: ServerList): ServerList {
  const held = list.servers.map((server) => ({
    ...server,
    tools: server.tools.filter(({ change }) => change !== undefined),
  }))
  return { ...list, servers: held.filter(({ tools }) => tools.length > 0) }
}
