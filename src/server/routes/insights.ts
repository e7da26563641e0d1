import { given } from '../../base/json/json.ts'
import { dayOf } from '../../store/statistics/statistics.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { wirePerson } from '../identity/people.ts'
import { insightsOf, type PersonCounts, peopleIn, personFigures } from '../insights/insights.ts'
import type { Services } from '../services.ts'

const USUAL_DAYS = 30

/** Numbers over a long time. How people answer is shown to themselves and to admins. */
export function insightRoutes({ store, credentials }: Services): Route[] {
  const figuresFor = async ({ id, counts }: PersonCounts) =>
    personFigures(wirePerson(id, await credentials.accounts.get(id)), counts)

  return [
    route('GET /v1/insights', async ({ caller, query: { days = USUAL_DAYS }, reply }) => {
      const { person } = personOf(caller)
      const to = dayOf(await store.now())
      const from = to - days + 1
      const counted = await store.statistics.read({ from, to })
      const people = peopleIn(counted)
      const own = people.find(
        ({ id }) => id.issuer === person.issuer && id.subject === person.subject,
      )
      const isAdmin = person.roles.includes('admin')
      return reply(200, {
        ...insightsOf(counted, from, to),
        ...given({
          me: own && (await figuresFor(own)),
          people: isAdmin ? await Promise.all(people.map(figuresFor)) : undefined,
        }),
      })
    }),
  ]
}
