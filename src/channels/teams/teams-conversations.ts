import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { textAt } from '../chat/text-at.ts'

/** Where a person is told: their own conversation with the bot. */
export interface Conversation {
  readonly id: string
  readonly serviceUrl: string
}

/** Longer than a link, which has to be made again after 90 days. */
const KEPT_MS = 100 * 86_400_000

/** A bot can only write into conversations that it was written to from. */
export async function keepConversation(
  host: ChannelHost,
  account: string,
  { id, serviceUrl }: Conversation,
): Promise<void> {
  await host.notes.put(nameOf(account), { id, serviceUrl }, KEPT_MS)
}

export async function conversationOf(
  host: ChannelHost,
  account: string,
): Promise<Conversation | undefined> {
  const kept = await host.notes.get(nameOf(account))
  const [id, serviceUrl] = [textAt(kept, 'id'), textAt(kept, 'serviceUrl')]
  return id === '' || serviceUrl === '' ? undefined : { id, serviceUrl }
}

function nameOf(account: string): string {
  return `conversation ${account}`
}

const HOSTS = ['smba.trafficmanager.net']
const DOMAINS = ['.teams.microsoft.com', '.botframework.com']

/** Our own token is sent there, so only hosts of Microsoft, and those that an operator named. */
export function isServiceUrl(text: string, allowed: readonly string[]): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, search, hash } = new URL(text)
  if (username !== '' || search !== '' || hash !== '') return false
  if (allowed.includes(host)) return true
  const isTheirs = HOSTS.includes(host) || DOMAINS.some((domain) => host.endsWith(domain))
  return protocol === 'https:' && isTheirs
}
