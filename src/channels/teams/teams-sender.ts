import { CountersignError } from '../../base/errors.ts'
import type { Share } from '../../gate/notify/channel.ts'
import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'
import { unfitting } from '../chat/sentence.ts'
import { textAt } from '../chat/text-at.ts'
import { type TeamsConnector, TeamsError } from './teams-connector.ts'
import type { Conversation } from './teams-conversations.ts'

export interface ActivityParts {
  readonly host: ChannelHost
  readonly connector: TeamsConnector
  readonly share: Share
  readonly appId: string
  readonly tenant: string
}

export interface Sender {
  readonly account: ChatAccount
  readonly name: string
  readonly conversation: Conversation
}

export const UNANSWERED = 'Countersign cannot answer right now. Open the inbox instead.'
/** Teams shows an error to the person after a few seconds. */
const TIMEOUT = 2_500

/** Who sent it, as the connector says and the roster of the conversation confirms at this moment. */
export async function senderOf(
  { connector, appId, tenant }: ActivityParts,
  payload: unknown,
  serviceUrl: string,
): Promise<Sender> {
  const id = textAt(payload, 'conversation', 'id')
  const [user, account] = [textAt(payload, 'from', 'id'), textAt(payload, 'from', 'aadObjectId')]
  const inTenant = textAt(payload, 'channelData', 'tenant', 'id') === tenant
  const theirs = textAt(payload, 'conversation', 'tenantId') || tenant
  const isDirect = textAt(payload, 'conversation', 'conversationType') === 'personal'
  const isToUs = textAt(payload, 'recipient', 'id') === `28:${appId}`
  // Bots begin with 28, people with 29.
  const isPerson = user.startsWith('29:') && isGuid(account)
  if (id === '' || !inTenant || theirs !== tenant || !isDirect || !isToUs || !isPerson) {
    throw unfitting()
  }
  const path = `v3/conversations/${encodeURIComponent(id)}/members/${encodeURIComponent(user)}`
  const member = await connector({ method: 'GET', serviceUrl, path, timeout: TIMEOUT }).catch(
    (error: unknown) => {
      if (error instanceof TeamsError && error.status === 404) return undefined
      throw error
    },
  )
  const known = textAt(member, 'aadObjectId') || textAt(member, 'objectId')
  const role = textAt(member, 'userRole') || 'user'
  const isGuest = role !== 'user' || textAt(member, 'userPrincipalName').includes('#EXT#')
  const home = textAt(member, 'tenantId') || tenant
  if (known !== account || textAt(member, 'id') !== user || isGuest || home !== tenant) {
    throw new CountersignError('not_permitted', 'only members of our own organisation can answer')
  }
  const name = (textAt(member, 'name') || account).slice(0, 120)
  return { account: { workspace: tenant, id: account }, name, conversation: { id, serviceUrl } }
}

export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
