import * as v from 'valibot'
import { about, type Infer, object, text, whole } from '../schema.ts'

/** An account of a chat: of a person, or about to become theirs. */
const chatAccount = {
  channel: v.string(),
  workspace: v.string(),
  account: about(v.string(), 'As the chat identifies it.'),
  name: about(v.string(), 'As the chat shows it; any name can be chosen there.'),
}

export const WireLink = object({
  id: v.string(),
  ...chatAccount,
  at: whole(),
  until: about(whole(), 'When it has to be linked again.'),
})
export type WireLink = Infer<typeof WireLink>

export const WireLinkClaim = object({
  id: v.string(),
  ...chatAccount,
  until: about(whole(), 'When it can no longer be confirmed.'),
})

export const WireLinkChannel = object({
  name: v.string(),
  title: v.string(),
  where: about(v.string(), 'Where a code is sent.'),
})

/** `GET /v1/channel-links`: those of the caller. */
export const LinkList = object({
  channels: about(v.array(WireLinkChannel), 'Where accounts can be linked.'),
  links: v.array(WireLink),
  waiting: about(v.array(WireLinkClaim), 'Accounts that sent a code of yours.'),
  now: whole(),
})
export type LinkList = Infer<typeof LinkList>

/** `POST /v1/channel-links/codes`. */
export const LinkCodeBody = object({ channel: text({ min: 1, max: 128 }) })

export const LinkCode = object({
  code: about(v.string(), 'Sent to the channel from the account to link, once.'),
  expiresAt: whole(),
})
export type LinkCode = Infer<typeof LinkCode>
