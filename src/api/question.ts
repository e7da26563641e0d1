import { type MessagePart, messageParts } from '../base/message-parts.ts'
import { inEnglish, type Tell } from '../base/tell.ts'
import type { ApprovalRow } from './approval.ts'

type Asked = Pick<ApprovalRow, 'message' | 'values' | 'tool'>

const PLAIN = /^Run '(?<tool>[^']+)' with arguments (?<args>[\s\S]*)\?$/

const own = (text: string): MessagePart => ({ text, quoted: false })
const value = (text: string): MessagePart => ({ text, quoted: true })

/** Whether the policy has no question of its own: this one says nothing that the arguments do not. */
export function isPlainQuestion({ message, tool }: Pick<Asked, 'message' | 'tool'>): boolean {
  if (message === '') return true
  const { groups } = PLAIN.exec(message) ?? {}
  // Words of the policy that begin alike are words of the policy, and stay to be read.
  return groups?.tool === tool && typeof parsed(groups.args ?? '') === 'object'
}

/**
 * The question over a card. The one that Countersign asks when the policy has none of its own ends
 * in all arguments, and they stand right below, so there it is cut to its beginning.
 */
export function questionOf(asked: Asked, tell: Tell = inEnglish): readonly MessagePart[] {
  const { message, values, tool } = asked
  if (!isPlainQuestion(asked)) return messageParts(message, values)
  // Around a character that no text of ours holds: the name of a tool may read like a place for one.
  const [before = '', after = ''] = tell.text('Run {tool}?', { tool: '\0' }).split('\0')
  return [own(before), value(tool), own(after)].filter(({ text }) => text !== '')
}

/** A list carries only the beginning of a long question. */
const LISTED = /^Run '(?<tool>[^']+)' with arguments (?<args>[\s\S]*)(?:\?|(?<=…))$/

/** One line of the list. */
export function summaryOf(
  { message, values, tool }: Asked,
  tell: Tell = inEnglish,
): readonly MessagePart[] {
  const { groups } = LISTED.exec(message) ?? {}
  if (groups?.tool !== tool) return messageParts(message, values)
  const members = membersOf(groups.args ?? '')
  if (members.length === 0) return [own(tell.text('No arguments'))]
  return members
    .toSorted(([one], [two]) => weight(one) - weight(two))
    .flatMap(([name, text], at) => [own(`${at === 0 ? '' : ' · '}${name} `), value(text)])
}

/** What tells one call from another, before what most calls have in common. */
const TELLING =
  /^(?:sql|query|statement|command|cmd|subject|to|path|file_?path|url|title|name|amount|id)$/i

const weight = (name: string) => (TELLING.test(name) ? 0 : 1)

/** A member at the top of canonical JSON; the last one may be cut. */
const MEMBER = /[{,]"(?<name>(?:[^"\\]|\\.)*)":(?<value>"(?:[^"\\]|\\.)*"?|[^",{}[\]]+|[{[])/gy

/** Names and values, as far as the list carries them. What is nested is named, and not spelled out. */
function membersOf(args: string): (readonly [name: string, text: string])[] {
  const whole = parsed(args)
  if (typeof whole === 'object' && whole !== null) {
    return Object.entries(whole).map(([name, one]) => [name, textOf(one)])
  }
  const found: (readonly [string, string])[] = []
  for (const { groups } of args.matchAll(MEMBER)) {
    const { name = '', value: text = '' } = groups ?? {}
    found.push([name, text.startsWith('"') ? String(parsed(text) ?? text.slice(1)) : text])
  }
  return found
}

function textOf(one: unknown): string {
  if (typeof one === 'string') return one
  return Array.isArray(one) && one.every((item) => typeof item === 'string')
    ? one.join(', ')
    : JSON.stringify(one)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
