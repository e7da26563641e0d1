import { t } from '../lib/language/t.ts'
import { visibleText } from '../lib/text/invisible-characters.ts'

/** Names of products, the same in every language. */
const PRODUCTS: ReadonlyMap<string, string> = new Map([
  ['slack', 'Slack'],
  ['teams', 'Microsoft Teams'],
  ['discord', 'Discord'],
  ['telegram', 'Telegram'],
])

/** As people call it; the others have the names that their operator gave them. */
export function channelName(channel: string): string {
  if (channel === 'push') return t('Push')
  if (channel === 'mail') return t('Mail')
  return PRODUCTS.get(channel) ?? visibleText(channel)
}
