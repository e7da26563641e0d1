import type { ListedSwitch, SwitchList, WireSwitch } from '../../api/switches.ts'
import type { Person } from '../../approval/people/person.ts'
import { given } from '../../base/json/json.ts'
import type { Switch } from '../../gate/admin/switch-record.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { Accounts } from '../identity/people.ts'
import type { Services } from '../services.ts'
import { placeOf } from '../view/server.ts'

const ON_SERVER = '/v1/servers/:server/switch'
const ON_TOOL = '/v1/servers/:server/tools/:tool/switch'
type Place = typeof ON_SERVER | typeof ON_TOOL

/** Switching approval on and off, for a tool of a server or for the whole server. */
export function switchRoutes({ gate, credentials: { accounts } }: Services): Route[] {
  async function listed(one: Switch): Promise<ListedSwitch> {
    const effect = await gate.admin.switches.effect(one, undefined)
    return {
      ...(await wireSwitch(one, accounts)),
      ...given({
        changes: effect && { from: effect.after, to: effect.before },
        fixed: effect?.fixedBy && {
          rule: effect.fixedBy.rule,
          at: placeOf(effect.fixedBy.place),
        },
      }),
    }
  }

  const set = (place: Place): Route =>
    route(`PUT ${place}`, async ({ caller, params, body: { on, lowers }, reply }) => {
      const { person } = personOf(caller)
      const made = await gate.admin.switches.set(person, targetOf(params), on, { lowers })
      return reply(200, await wireSwitch(made, accounts))
    })
  const clear = (place: Place): Route =>
    route(`DELETE ${place}`, async ({ caller, params, query: { lowers = false }, reply }) => {
      const { person } = personOf(caller)
      const was = await gate.admin.switches.clear(person, targetOf(params), { lowers })
      return reply(200, await wireSwitch(was, accounts))
    })
  return [
    route('GET /v1/switches', async ({ caller, reply }) => {
      const found = await gate.admin.switches.list()
      const switches = await Promise.all(found.map(listed))
      const can = maySwitch(personOf(caller).person)
      return reply(200, { switches, can } satisfies SwitchList)
    }),
    set(ON_SERVER),
    clear(ON_SERVER),
    set(ON_TOOL),
    clear(ON_TOOL),
  ]
}

type Target = Pick<Switch, 'server' | 'tool'>

/** Without a tool it is about the whole server. */
function targetOf({ server, tool }: Target): Target {
  return { server, ...given({ tool }) }
}

function maySwitch({ roles, locked }: Person): SwitchList['can'] {
  return roles.includes('admin') && !locked ? ['switch'] : []
}

export async function wireSwitch(one: Switch, accounts: Accounts): Promise<WireSwitch> {
  const { server, tool, on, by, at } = one
  const account = await accounts.get(by)
  const named = { ...by, ...given({ name: account?.name, email: account?.email }) }
  return { server, ...given({ tool }), on, by: named, at }
}
