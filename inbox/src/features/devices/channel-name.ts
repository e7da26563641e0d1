import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

/** As people call it; the others have the names that their operator gave them. */
export function channelName(channel: string): string {
  return channel === 'push' ? t('Push') : visibleText(channel)
}
