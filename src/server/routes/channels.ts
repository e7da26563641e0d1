import type { LinkList, WireLink } from '../../api/channels/links.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import type { Link } from '../channels/links.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { assertFresh } from '../identity/fresh-session.ts'
import type { Services } from '../services.ts'

/** What chats send, and which of their accounts answer for whom. */
export function channelRoutes({ store, channels, channelLinks: links }: Services): Route[] {
  const codes = createRateLimit({ most: 10, windowMs: 60_000, what: 'codes' })

  return [
    route('POST /v1/channels/:name', async ({ c, params, raw }) => {
      const channel = channels.find(({ name }) => name === params.name)
      if (channel?.receive === undefined) {
        throw new CountersignError('not_found', 'there is no channel of this name')
      }
      return raw(await channel.receive(c.req.raw))
    }),
    route('GET /v1/channel-links', async ({ caller, reply }) => {
      const { account } = personOf(caller)
      const [own, waiting] = await Promise.all([links.of(account), links.waiting(account)])
      const answer: LinkList = {
        channels: channels.flatMap(({ name, linking }) => (linking ? [{ name, ...linking }] : [])),
        links: own.map(wireLink),
        waiting: waiting.map(({ claim, channel, workspace, id, name, until }) => ({
          ...{ id: claim, channel, workspace, account: id, name, until },
        })),
        now: await store.now(),
      }
      return reply(200, answer)
    }),
    route('POST /v1/channel-links/codes', async ({ caller, body, reply }) => {
      const person = personOf(caller)
      await assertFresh(store, person, 'an account is linked')
      assertLinkable(channels, body.channel)
      codes.take(JSON.stringify([person.account.issuer, person.account.subject]))
      return reply(201, await links.makeCode(person.account, body.channel))
    }),
    route('POST /v1/channel-links/:link/confirm', async ({ caller, params, reply }) => {
      const person = personOf(caller)
      await assertFresh(store, person, 'an account is linked')
      return reply(201, wireLink(await links.confirm(person.account, params.link)))
    }),
    route('DELETE /v1/channel-links/:link', async ({ caller, params, reply }) => {
      const { account, person } = personOf(caller)
      // An account that asks to be linked anew has one id with its link: both end.
      const isDeclined = await links.decline(account, params.link)
      const { issuer, subject } = account
      const isOwn = (await links.of(account)).some(({ link }) => link === params.link)
      const may = isOwn || person.roles.includes('admin')
      const isEnded = may && (await links.remove({ person: { issuer, subject } }, params.link))
      if (isDeclined || isEnded) return reply(204)
      throw new CountersignError('link_unknown', 'you have no such link')
    }),
  ]
}

function assertLinkable(channels: readonly Channel[], wanted: string): void {
  if (channels.some(({ name, linking }) => name === wanted && linking)) return
  throw new CountersignError('not_found', 'no accounts can be linked in a channel of this name')
}

function wireLink({ link, channel, workspace, id, name, at, until }: Link): WireLink {
  return { id: link, channel, workspace, account: id, name, at, until }
}
