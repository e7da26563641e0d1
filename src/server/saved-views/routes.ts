import { CountersignError } from '../../base/errors.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { Services } from '../services.ts'
import { createSavedViews } from './saved-views.ts'

/** A person's own views. There is no way to those of another. */
export function savedViewRoutes({ store }: Pick<Services, 'store'>): Route[] {
  const saved = createSavedViews(store.records)
  return [
    route('GET /v1/me/views', async ({ caller, reply }) =>
      reply(200, { views: await saved.of(personOf(caller).account) }),
    ),
    route('POST /v1/me/views', async ({ caller, body, reply }) =>
      reply(201, await saved.add(personOf(caller).account, body)),
    ),
    route('POST /v1/me/views/:view', async ({ caller, params, body, reply }) =>
      reply(200, await saved.change(personOf(caller).account, params.view, body)),
    ),
    route('DELETE /v1/me/views/:view', async ({ caller, params, reply }) => {
      const isGone = await saved.remove(personOf(caller).account, params.view)
      if (!isGone) throw new CountersignError('not_found', 'you have no such view')
      return reply(204)
    }),
  ]
}
