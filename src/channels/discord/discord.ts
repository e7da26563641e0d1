import { CountersignError } from '../../base/errors.ts'
import { type Channel, NotDelivered, type Share } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { addressesIn } from './discord-addresses.ts'
import { createDiscordCall, DISCORD_API, DiscordError, isId } from './discord-api.ts'
import { createApplication } from './discord-application.ts'
import { COMMAND } from './discord-command.ts'
import { deliver } from './discord-delivery.ts'
import { sendDigest } from './discord-digest.ts'
import { receiver } from './discord-inbound.ts'
import { publicKeyOf } from './discord-signature.ts'

export interface DiscordOptions {
  /** Of the bot of your application. */
  readonly botToken: string
  /**
   * Of the application, in hex: what Discord signs its requests to `POST /v1/channels/NAME` with.
   * Several while one is replaced.
   */
  readonly publicKeys: string | readonly string[]
  /** `arguments`: calls are shown and decided in Discord. The name of the tool alone unless set. */
  readonly share?: Share
  /** Channels in which groups of the policy are told, besides each member: `{ finance: '1234…' }`. */
  readonly channels?: Readonly<Record<string, string>>
  /** The id of a server of Discord: only its members answer, asked for each answer. */
  readonly guild?: string
  /** What operators see, and the end of the address for signed requests; `discord` unless set. */
  readonly name?: string
  /** Another place of the API, for tests. */
  readonly apiUrl?: string
}

/** Tells people in Discord and, where calls may be shown there, takes their answers. */
export function discord(options: DiscordOptions): Channel {
  const { botToken, name = 'discord', share = 'name', channels = {}, guild } = options
  assertOptions(options)
  const keys = [options.publicKeys].flat().map(publicKeyOf)
  const call = createDiscordCall(options.apiUrl ?? DISCORD_API, botToken)
  const application = createApplication(call)
  let host: ChannelHost | undefined
  const inbound = receiver({ keys, call, application, share, guild, host: () => host })

  return {
    name,
    share,
    addresses: (notice, people) =>
      addressesIn({ application, channels, host: () => host }, notice, people).catch(
        (error: unknown) => {
          throw error instanceof DiscordError ? new NotDelivered(error.message) : error
        },
      ),
    async send(notice, signal, delivery) {
      if (!delivery) throw new NotDelivered('Discord needs to know whom to tell')
      const mayAnswer = share === 'arguments'
      return deliver({ call, application, mayAnswer }, notice, delivery, signal)
    },
    sendDigest: (notices, signal, address) => sendDigest(call, notices, address, signal),
    followsUp: true,
    linking: { title: 'Discord', where: `with the command /${COMMAND} of the bot` },
    receive: inbound.request,
    connect(given) {
      host = given
      return inbound.idle
    },
  }
}

function assertOptions({
  botToken,
  publicKeys,
  channels = {},
  guild,
  apiUrl = DISCORD_API,
}: DiscordOptions): void {
  if (!/^[\w-]{10,100}\.[\w-]{1,40}\.[\w-]{10,100}$/.test(botToken)) {
    throw wrong('the bot token of Discord does not look like three parts with dots between them')
  }
  const keys = [publicKeys].flat()
  if (keys.length === 0 || keys.some((key) => !/^[0-9a-f]{64}$/i.test(key))) {
    throw wrong('the public key of Discord is not 64 hex digits')
  }
  const isSafe =
    URL.canParse(apiUrl) &&
    (apiUrl.startsWith('https://') || /^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(apiUrl))
  if (!isSafe) throw wrong('the address of Discord is not an https address')
  const wrongId = [...Object.values(channels), guild ?? []].flat().find((id) => !isId(id))
  if (wrongId !== undefined) {
    throw wrong(`${JSON.stringify(wrongId)} is not an id of Discord`)
  }
}

function wrong(message: string): CountersignError {
  return new CountersignError('usage', message, {
    hint: '`countersign discord setup` says where each of them is found.',
  })
}
