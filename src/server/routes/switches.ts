import type { Person } from '../../approval/people/person.ts'
import type { Switch } from '../../gate/admin/switch-record.ts'
import type { ListedSwitch, SwitchList, WireSwitch } from '../../wire/switches.ts'
import { PEOPLE, personOf, type Route, route, type Sent } from '../http/route.ts'
import { flag, object, optional } from '../http/shape.ts'
import type { Accounts } from '../identity/people.ts'
import type { Services } from '../services.ts'
import { given } from '../view/row.ts'
import { placeOf } from '../view/server.ts'

const BODY = object({ on: flag, lowers: optional(flag) })
const LOWERS = {
  lowers: { type: 'boolean', description: 'people will be asked less, and that is meant' },
}

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

  const set = (path: string, what: string): Route =>
    route({
      method: 'put',
      path,
      who: ['admin'],
      summary: `Ask people about ${what}, or do not. A file that says so has the last word.`,
      body: BODY,
      answer: 'The switch.',
      async handle({ c, caller, body: { on, lowers } }) {
        const { person } = personOf(caller)
        const made = await gate.admin.switches.set(person, targetOf(c), on, { lowers })
        return c.json(await wireSwitch(made, accounts))
      },
    })
  const clear = (path: string, what: string): Route =>
    route({
      method: 'delete',
      path,
      who: ['admin'],
      summary: `Take the switch on ${what} away: what the files say counts again.`,
      query: LOWERS,
      answer: 'The switch as it was.',
      async handle({ c, caller }) {
        const lowers = c.req.query('lowers') === 'true'
        const { person } = personOf(caller)
        const was = await gate.admin.switches.clear(person, targetOf(c), { lowers })
        return c.json(await wireSwitch(was, accounts))
      },
    })
  const onServer = '/v1/servers/:server/switch'
  const onTool = '/v1/servers/:server/tools/:tool/switch'
  return [
    route({
      method: 'get',
      path: '/v1/switches',
      who: PEOPLE,
      summary: 'What was switched in the inbox, and what each switch changes.',
      answer: 'A list of switches.',
      async handle({ c, caller }) {
        const found = await gate.admin.switches.list()
        const switches = await Promise.all(found.map(listed))
        const can = maySwitch(personOf(caller).person)
        return c.json({ switches, can } satisfies SwitchList)
      },
    }),
    set(onServer, 'all other tools of a server'),
    clear(onServer, 'a server'),
    set(onTool, 'one tool of a server'),
    clear(onTool, 'a tool'),
  ]
}

function targetOf(c: Sent<unknown>['c']): Pick<Switch, 'server' | 'tool'> {
  const tool = c.req.param('tool')
  return { server: c.req.param('server') ?? '', ...(tool === undefined ? {} : { tool }) }
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
