import { CountersignError } from '../../base/errors.ts'
import { type Channel, NotDelivered, type Share } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { parsedJson, textAt } from '../chat/text-at.ts'
import { handleActivity } from './teams-activity.ts'
import { createConnector, TEAMS_LOGIN } from './teams-connector.ts'
import { isServiceUrl } from './teams-conversations.ts'
import { deliver, deliverDigest } from './teams-delivery.ts'
import { isGuid } from './teams-sender.ts'
import { createTokens, TEAMS_KEYS } from './teams-token.ts'

export interface TeamsBotOptions {
  /** Of the bot's registration in Microsoft Entra. */
  readonly appId: string
  /** A client secret of that registration. */
  readonly appPassword: string
  /** Your organisation. Accounts of every other one are refused. */
  readonly tenant: string
  /** `arguments`: calls are shown and decided in Teams. The name of the tool alone unless set. */
  readonly share?: Share
  /** What operators see, and the end of the messaging endpoint; `teams` unless set. */
  readonly name?: string
  /** Other places of Microsoft's services, for tests. */
  readonly keysUrl?: string
  readonly loginUrl?: string
  readonly serviceHosts?: readonly string[]
}

/** A token is good for an hour, and a little longer for clocks that differ. */
const REMEMBERED_MS = 75 * 60_000

/** Tells people in Microsoft Teams and, where calls may be shown there, takes their answers. */
export function teamsBot(options: TeamsBotOptions): Channel {
  const { appId, tenant, name = 'teams', share = 'name', serviceHosts = [] } = options
  const { keysUrl = TEAMS_KEYS, loginUrl = TEAMS_LOGIN } = options
  assertOptions({ ...options, keysUrl, loginUrl })
  const connector = createConnector({ ...options, loginUrl })
  const tokens = createTokens({ appId, keysUrl })
  const seen = new Map<string, number>()
  const working = new Set<Promise<unknown>>()
  let host: ChannelHost | undefined

  /** The token proves no body, so an activity that came before is not handled again. */
  function isRepeated(id: string): boolean {
    const now = performance.now()
    for (const [old, at] of seen) {
      if (now - at <= REMEMBERED_MS) break
      seen.delete(old)
    }
    if (seen.has(id)) return true
    seen.set(id, now)
    return false
  }

  async function receive(request: Request): Promise<Response> {
    const serviceUrl = await tokens.serviceUrl(request.headers.get('authorization') ?? '')
    const payload = parsedJson(await request.text())
    const isOurs =
      serviceUrl !== undefined &&
      isServiceUrl(serviceUrl, serviceHosts) &&
      textAt(payload, 'serviceUrl') === serviceUrl &&
      textAt(payload, 'channelId') === 'msteams'
    const id = textAt(payload, 'id')
    if (!isOurs || id === '' || isRepeated(id)) {
      throw new CountersignError('signature_refused', 'Teams did not send this, or sent it before')
    }
    if (!host) throw new CountersignError('internal', 'the server is not ready')
    const work = handleActivity({ host, connector, share, appId, tenant }, payload, serviceUrl)
    working.add(work)
    return Response.json(await work.finally(() => working.delete(work)))
  }

  return {
    name,
    share,
    /** Each person with a linked account. A channel of Teams is told by a workflow. */
    async addresses(_notice, people) {
      const found = await Promise.all(
        people.map(async ({ issuer, subject }) =>
          issuer === undefined ? [] : ((await host?.accountsOf({ issuer, subject })) ?? []),
        ),
      )
      const own = found.flat().filter((one) => one.workspace === tenant)
      return [...new Set(own.map(({ id }) => id))]
    },
    async send(notice, signal, delivery) {
      if (!delivery || !host) throw new NotDelivered('Teams needs to know whom to tell')
      return deliver(
        { connector, host, mayAnswer: share === 'arguments' },
        notice,
        delivery,
        signal,
      )
    },
    async sendDigest(notices, signal, address) {
      if (!host) throw new NotDelivered('Teams needs to know whom to tell')
      await deliverDigest({ connector, host }, notices, address, signal)
    },
    linking: { title: 'Microsoft Teams', where: 'to the Countersign bot, in a personal chat' },
    receive,
    connect(given) {
      host = given
      return async () => {
        await Promise.allSettled(working)
      }
    },
  }
}

function assertOptions({
  appId,
  appPassword,
  tenant,
  keysUrl,
  loginUrl,
}: TeamsBotOptions & { readonly keysUrl: string; readonly loginUrl: string }): void {
  if (!isGuid(appId) || !isGuid(tenant)) {
    throw wrong('the app id and the tenant of Teams are ids like 0a1b2c3d-…, in small letters')
  }
  if (appPassword.length < 16)
    throw wrong('the client secret of Teams is shorter than 16 characters')
  for (const url of [keysUrl, loginUrl]) {
    const isSafe =
      URL.canParse(url) &&
      (url.startsWith('https://') || /^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(url))
    if (!isSafe) throw wrong('an address of Microsoft is not an https address')
  }
}

function wrong(message: string): CountersignError {
  return new CountersignError('usage', message, {
    hint: '`countersign teams setup` says where each of them is found.',
  })
}
