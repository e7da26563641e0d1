import type { OnCallList, WireOnCall } from '../../api/channels/on-call.ts'
import type { OnCallState } from '../../base/on-call/on-call.ts'
import { type Route, route } from '../http/route.ts'
import type { Services } from '../services.ts'

/** Who of a group is told first, now or at another time. */
export function onCallRoutes({ store, policyNow, credentials }: Services): Route[] {
  const { people } = credentials.accounts
  return [
    route('GET /v1/on-call', async ({ query, reply }) => {
      const at = query.at ?? (await store.now())
      const { groups } = await policyNow()
      const named = [...groups].filter(([, { onCall }]) => onCall).map(([name]) => name)
      const found = await Promise.all(
        named.map(async (group) => wireOnCall(group, await people.onCall?.(group, at))),
      )
      const answer: OnCallList = { at, groups: found.flat() }
      return reply(200, answer)
    }),
  ]
}

function wireOnCall(group: string, state: OnCallState | undefined): readonly WireOnCall[] {
  if (!state) return []
  return 'problem' in state ? [{ group, people: [], ...state }] : [{ group, ...state }]
}
