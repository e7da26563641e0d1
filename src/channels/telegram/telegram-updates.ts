import { valueAt } from '../chat/text-at.ts'
import { pressed } from './telegram-buttons.ts'
import { heard } from './telegram-replies.ts'
import type { UpdateParts } from './telegram-sender.ts'

/** A button or a message. That Telegram sent it was checked before. */
export async function handleUpdate(parts: UpdateParts, update: unknown): Promise<void> {
  const query = valueAt(update, 'callback_query')
  if (query !== undefined) return pressed(parts, query)
  const message = valueAt(update, 'message')
  if (message !== undefined) return heard(parts, message)
}
