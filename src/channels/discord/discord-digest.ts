import type { Notice } from '../../gate/notify/channel.ts'
import { readAddress } from './discord-addresses.ts'
import { type DiscordCall, DiscordError, idAt } from './discord-api.ts'
import { failureOf } from './discord-delivery.ts'
import { digestMessage } from './discord-messages.ts'

/** Several calls in one message to one person. Nothing of it is changed later. */
export async function sendDigest(
  call: DiscordCall,
  notices: readonly Notice[],
  address: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { user } = readAddress(address)
    const opened = await call('POST /users/@me/channels', { recipient_id: user }, { signal })
    const route = `POST /channels/${idAt(opened, 'id')}/messages` as const
    await call(route, digestMessage(notices), { signal })
  } catch (error) {
    throw error instanceof DiscordError ? failureOf(error) : error
  }
}
