import { escapeUnseen } from '../../base/invisible-characters.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { cardOf } from '../downstream/call-result.ts'
import { rowsOf } from '../downstream/question.ts'
import type { SessionOptions } from '../downstream/session-options.ts'

/** More than a person reads beside a chat; the inbox has all of it. */
const MOST_ROWS = 40
const LONGEST_ROW = 500

/**
 * What the page in a client shows of one approval. Arguments are as people may see them, without
 * characters that could hide or turn round others.
 */
export async function shownCard(
  { gate, inbox }: Pick<SessionOptions, 'gate' | 'inbox'>,
  id: string,
): Promise<JsonObject | undefined> {
  const shown = await gate.approvals.get(id)
  if (!shown) return undefined
  const { approval, args } = shown
  const { call, status, execution, askedAt, decideBy } = approval
  const where = await inbox(approval)
  const rows = args === undefined ? [] : rowsOf(args)
  return {
    id,
    status: execution?.state ?? status,
    tool: seen(call.tool),
    ...(call.server === undefined ? {} : { server: seen(call.server) }),
    agent: seen(call.alias ?? call.agent),
    ...(call.risk === undefined ? {} : { risk: call.risk }),
    askedAt: new Date(askedAt).toISOString(),
    ...(decideBy === undefined ? {} : { decideBy: new Date(decideBy).toISOString() }),
    rows: rows.slice(0, MOST_ROWS).map(seen),
    more: Math.max(0, rows.length - MOST_ROWS),
    ...(where === undefined ? {} : { card: cardOf(where, id) }),
  }
}

function seen(text: string): string {
  const whole = escapeUnseen(text).replaceAll('\n', '\\n').trim()
  return whole.length > LONGEST_ROW ? `${whole.slice(0, LONGEST_ROW).toWellFormed()} …` : whole
}
