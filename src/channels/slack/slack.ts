import { CountersignError } from '../../base/errors.ts'
import { type Channel, NotDelivered, type Share } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { addressesIn } from './slack-addresses.ts'
import { createSlackCall, SlackError } from './slack-api.ts'
import { deliver } from './slack-delivery.ts'
import { sendDigest } from './slack-digest.ts'
import { receiver } from './slack-inbound.ts'
import { openSocket } from './slack-socket.ts'
import { createWorkspace } from './slack-workspace.ts'

export interface SlackOptions {
  /** `xoxb-…`: what the bot may do in the workspace. */
  readonly botToken: string
  /** `xapp-…`: answers come through a connection that this server opens (Socket Mode). */
  readonly appToken?: string
  /** Answers come as signed requests to `POST /v1/channels/NAME`. Several while one is replaced. */
  readonly signingSecrets?: string | readonly string[]
  /** `arguments`: calls are shown and decided in Slack. The name of the tool alone unless set. */
  readonly share?: Share
  /** Channels of Slack that groups of the policy are told in, instead of each member: `{ finance: 'C0…' }`. */
  readonly channels?: Readonly<Record<string, string>>
  /** What operators see, and the end of the address for signed requests; `slack` unless set. */
  readonly name?: string
  /** Another place of the web API, for tests. */
  readonly apiUrl?: string
}

const API = 'https://slack.com/api'

/** Tells people in Slack and, where calls may be shown there, takes their answers. */
export function slack(options: SlackOptions): Channel {
  const { botToken, appToken, name = 'slack', share = 'name', channels = {} } = options
  const secrets = [options.signingSecrets ?? []].flat()
  assertOptions(options, secrets)
  const base = options.apiUrl ?? API
  const call = createSlackCall(base, botToken)
  const workspace = createWorkspace(call)
  const mayAnswer = appToken !== undefined || secrets.length > 0
  let host: ChannelHost | undefined

  const receive = receiver({ call, workspace, share, secrets, host: () => host })

  return {
    name,
    share,
    addresses: (notice, people) =>
      addressesIn({ workspace, channels, host: () => host }, notice, people).catch(
        (error: unknown) => {
          throw error instanceof SlackError ? new NotDelivered(error.message) : error
        },
      ),
    async send(notice, signal, delivery) {
      if (!delivery) throw new NotDelivered('Slack needs to know whom to tell')
      return deliver({ call, workspace, mayAnswer }, notice, delivery, signal)
    },
    sendDigest: (notices, signal, address) => sendDigest(call, notices, address, signal),
    followsUp: true,
    ...(mayAnswer
      ? { linking: { title: 'Slack', where: 'to the Countersign app, as a direct message' } }
      : {}),
    ...(secrets.length > 0 ? { receive: receive.request } : {}),
    connect(given) {
      host = given
      if (appToken === undefined) return receive.idle
      const stop = openSocket({
        call: createSlackCall(base, appToken),
        onEnvelope: receive.envelope,
        report: given.report,
      })
      return async () => {
        await stop()
        await receive.idle()
      }
    },
  }
}

function assertOptions(
  { botToken, appToken, channels = {}, apiUrl = API }: SlackOptions,
  secrets: readonly string[],
): void {
  if (!/^xoxb-/.test(botToken)) throw wrong('the bot token of Slack does not begin with xoxb-')
  if (appToken !== undefined && !/^xapp-/.test(appToken)) {
    throw wrong('the app token of Slack does not begin with xapp-')
  }
  if (secrets.some((secret) => secret.length < 16)) {
    throw wrong('a signing secret of Slack is shorter than 16 characters')
  }
  const isSafe =
    URL.canParse(apiUrl) &&
    (apiUrl.startsWith('https://') || /^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(apiUrl))
  if (!isSafe) throw wrong('the address of Slack is not an https address')
  const wrongChannel = Object.values(channels).find((id) => !/^[CG][A-Z0-9]{2,}$/.test(id))
  if (wrongChannel !== undefined) {
    throw wrong(`${JSON.stringify(wrongChannel)} is not the id of a channel in Slack`)
  }
}

function wrong(message: string): CountersignError {
  return new CountersignError('usage', message, {
    hint: '`countersign slack setup` says where each of them is found.',
  })
}
