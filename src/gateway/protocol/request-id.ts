import type { RequestId } from './message.ts'

const BLANK = /[ \t\r\n]*/y
const QUOTE_OR_ESCAPE = /["\\]/g
// Whatever ends a value or begins a text inside of one.
const MARK = /["[\]{},]/g

/**
 * Whose request this is, where nothing else of it can be used. Its sender waits for an answer under
 * that id and hears no other. Null where there is no id, or more than one to choose from, and for
 * what is no request: under the id of an answer, the client would take ours for that to a request
 * of its own.
 */
export function requestIdIn(bytes: Uint8Array): RequestId | null {
  const members = membersOf(new TextDecoder().decode(bytes))
  const ids = members?.filter(({ key }) => key === 'id') ?? []
  const [only] = ids
  if (!only || ids.length > 1 || !members?.some(({ key }) => key === 'method')) return null
  const id = parsed(only.value)
  if (typeof id === 'string') return id.isWellFormed() && !id.includes('\ufffd') ? id : null
  return Number.isSafeInteger(id) ? (id as number) : null
}

interface Member {
  readonly key: unknown
  /** As it is written. */
  readonly value: string
}

/** The members of the outermost object, without a look into what they hold. */
function membersOf(text: string): Member[] | undefined {
  const members: Member[] = []
  let at = afterBlanks(text, 0)
  if (text[at] !== '{') return undefined
  do {
    const start = afterBlanks(text, at + 1)
    const end = afterText(text, start)
    const colon = afterBlanks(text, end)
    if (end === start || text[colon] !== ':') return undefined
    at = endOfValue(text, colon + 1)
    members.push({ key: parsed(text.slice(start, end)), value: text.slice(colon + 1, at) })
  } while (text[at] === ',')
  const isWhole = text[at] === '}' && afterBlanks(text, at + 1) === text.length
  return isWhole ? members : undefined
}

/** Where the comma or the brace stands that ends it; the end of the text where there is none. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  MARK.lastIndex = start
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    const [mark] = found
    if (mark === '"') {
      const end = afterText(text, found.index)
      if (end === found.index) break
      MARK.lastIndex = end
    } else if (mark === '{' || mark === '[') depth++
    else if (depth === 0) return found.index
    else if (mark !== ',') depth--
  }
  return text.length
}

function afterBlanks(text: string, at: number): number {
  BLANK.lastIndex = at
  BLANK.test(text)
  return BLANK.lastIndex
}

/** Behind the text that begins here; `at` where none does, or it does not end. */
function afterText(text: string, at: number): number {
  if (text[at] !== '"') return at
  QUOTE_OR_ESCAPE.lastIndex = at + 1
  for (let found = QUOTE_OR_ESCAPE.exec(text); found; found = QUOTE_OR_ESCAPE.exec(text)) {
    if (found[0] === '"') return found.index + 1
    QUOTE_OR_ESCAPE.lastIndex = found.index + 2
  }
  return at
}

function parsed(literal: string): unknown {
  try {
    return JSON.parse(literal)
  } catch {
    return undefined
  }
}
