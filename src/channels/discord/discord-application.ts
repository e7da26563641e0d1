import { NotDelivered } from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { type CallOptions, type DiscordCall, idAt } from './discord-api.ts'

/** The application that the token belongs to. Accounts are linked to it, and to no other. */
export interface DiscordApplication {
  readonly id: string
  readonly name: string
  /** The account that writes its messages. Old applications have another id than their bot. */
  readonly bot: string
  /** In hex: what Discord signs with. */
  readonly publicKey: string
  /** Where Discord sends what people press; empty: nowhere. */
  readonly endpoint: string
}

/** Asked once; asked again while it fails. */
export function createApplication(
  call: DiscordCall,
): (options?: CallOptions) => Promise<DiscordApplication> {
  let known: Promise<DiscordApplication> | undefined
  return (options) => {
    known ??= call('GET /applications/@me', undefined, options).then((found) => {
      const [id, bot] = [idAt(found, 'id'), idAt(found, 'bot', 'id')]
      if (id === '' || bot === '') {
        throw new NotDelivered('Discord does not say whose token it is')
      }
      return {
        ...{ id, bot, name: textAt(found, 'name') },
        publicKey: textAt(found, 'verify_key'),
        endpoint: textAt(found, 'interactions_endpoint_url'),
      }
    })
    known.catch(() => {
      known = undefined
    })
    return known
  }
}
