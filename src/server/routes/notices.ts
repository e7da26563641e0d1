import type { NoticePage } from '../../api/notice.ts'
import { retryUndelivered, undelivered } from '../../gate/notify/undelivered.ts'
import { type Route, route } from '../http/route.ts'
import type { Services } from '../services.ts'

/** What people are still to be told, for the admins who make sure that they are. */
export function noticeRoutes({ store }: Services): Route[] {
  return [
    route('GET /v1/notices', async ({ reply }) => {
      const page: NoticePage = await undelivered(store)
      return reply(200, page)
    }),
    route('POST /v1/notices/retry', async ({ reply }) =>
      reply(200, { retried: await retryUndelivered(store) }),
    ),
  ]
}
