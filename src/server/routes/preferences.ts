import type {
  NotificationPreferences,
  NotificationSettings,
} from '../../api/channels/preferences.ts'
import { keepPreferences, type Preferences, preferencesOf } from '../../gate/notify/preferences.ts'
import { notifyWords } from '../../policy/words/notify-words.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { Services } from '../services.ts'

/** How people want to be told. Each person sets their own, and no other's. */
export function preferenceRoutes({ store, channels, policyNow }: Services): Route[] {
  const told = channels.filter(({ addresses }) => addresses !== undefined).map(({ name }) => name)
  const settings = async (preferences: NotificationPreferences): Promise<NotificationSettings> => ({
    preferences,
    channels: told,
    policy: (await policyNow()).owner.notify.map(notifyWords),
  })
  return [
    route('GET /v1/me/notifications', async ({ caller, reply }) => {
      const preferences = await preferencesOf(store.records, personOf(caller).account)
      return reply(200, await settings(preferences as NotificationPreferences))
    }),
    route('PUT /v1/me/notifications', async ({ caller, body, reply }) => {
      const { account } = personOf(caller)
      await keepPreferences(store.records, account, body as Preferences)
      return reply(200, await settings(body as NotificationPreferences))
    }),
  ]
}
