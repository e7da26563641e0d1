import { CountersignError } from '../../base/errors.ts'
import type { PolicyDocument } from '../../policy/document.ts'

/**
 * Refuses a text that reaches what the file on disk does not. A command runs on this machine, and an
 * address is sent credentials: that is for the operator, or for *Add a server*, which asks whether
 * the operator allows it.
 */
export function assertNoNewWay(before: PolicyDocument | undefined, after: PolicyDocument): void {
  const known = new Map(before ? waysOf(before) : [])
  const found = waysOf(after).find(([name, way]) => known.get(name) !== way)
  if (!found) return
  throw new CountersignError('usage', `a draft from here does not say how ${found[0]} is reached`, {
    hint: 'Add a server under Tools, or change the policy file on its machine.',
  })
}

/** Each name with what would be started or sent there. Rules about a server that runs elsewhere have none. */
function waysOf({
  servers,
  remoteAgents,
  groups,
  pdp,
}: PolicyDocument): [name: string, way: string][] {
  const peers = [...servers.values(), ...remoteAgents.values()]
    .filter(({ connection: { command, url } }) => command !== undefined || url !== undefined)
    .map(({ rule, connection }): [string, string] => [rule, JSON.stringify(connection)])
  // A server reads a calendar wherever it is, with the rights of its process.
  const calendars = [...groups].flatMap(([name, { onCall }]): [string, string][] =>
    onCall && 'calendar' in onCall.by
      ? [[`the calendar of group ${name}`, onCall.by.calendar]]
      : [],
  )
  const reached = [...peers, ...calendars]
  return pdp ? [...reached, ['pdp', JSON.stringify([pdp.url, pdp.token ?? null])]] : reached
}
