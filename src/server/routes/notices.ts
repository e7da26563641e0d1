import type { NoticePage } from '../../wire/notice.ts'
import { type Route, route } from '../http/route.ts'
import type { Services } from '../services.ts'

/** What people are still to be told, for the admins who make sure that they are. */
export function noticeRoutes({ store }: Services): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/notices',
      who: ['admin'],
      summary: 'Notices that wait to be sent or are stuck, by channel.',
      answer: 'Counts, channels, and the oldest hundred notices.',
      async handle({ c }) {
        const page: NoticePage = await store.outbox.summary()
        return c.json(page)
      },
    }),
    route({
      method: 'post',
      path: '/v1/notices/retry',
      who: ['admin'],
      summary: 'Try everything that is stuck once more.',
      answer: 'How many that are.',
      handle: async ({ c }) => c.json({ retried: await store.outbox.retry() }),
    }),
  ]
}
