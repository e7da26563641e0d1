import { type MessagePart, messageParts } from '../base/message-parts.ts'
import { inEnglish, type Tell } from '../base/tell.ts'
import type { ApprovalRow } from './approval.ts'
import { firstFile, patchSummary } from './arguments/patch-summary.ts'

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
    .map(([name, text, isCut]) => ({
      name,
      parts: patchParts(text, isCut === true) ?? [own(`${name} `), value(text)],
    }))
    .toSorted((one, two) => weight(one) - weight(two))
    .flatMap(({ parts }, at) => [...(at === 0 ? [] : [own(' · ')]), ...parts])
}

/** `src/billing/tax.ts +1 −1`; of a patch that the list carries only in part, its first file. */
function patchParts(text: string, isCut: boolean): MessagePart[] | undefined {
  const begun = isCut ? firstFile(text) : undefined
  if (begun !== undefined) return [value(begun), own(' …')]
  const { files: [first, ...more] = [], added, removed } = patchSummary(text) ?? {}
  if (first === undefined) return undefined
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return [value(first), own(`${others} +${added} −${removed}`)]
}

/** What tells one call from another, before what most calls have in common. */
const TELLING =
  /^(?:sql|query|statement|command|cmd|subject|to|path|file_?path|url|title|name|amount|id)$/i

const weight = ({ name, parts: [first] }: { name: string; parts: readonly MessagePart[] }) =>
  first?.quoted || TELLING.test(name) ? 0 : 1

/** A member at the top of canonical JSON; the last one may be cut. */
const MEMBER = /[{,]"(?<name>(?:[^"\\]|\\.)*)":(?<value>"(?:[^"\\]|\\.)*"?|[^",{}[\]]+|[{[])/gy

type Member = readonly [name: string, text: string, isCut?: boolean]

/** Names and values, as far as the list carries them. What is nested is named, and not spelled out. */
function membersOf(args: string): Member[] {
  const whole = parsed(args)
  if (typeof whole === 'object' && whole !== null) {
    return Object.entries(whole).map(([name, one]) => [name, textOf(one)])
  }
  const found: Member[] = []
  for (const { groups } of args.matchAll(MEMBER)) {
    const { name = '', value: text = '' } = groups ?? {}
    if (!text.startsWith('"')) found.push([name, text])
    else {
      const read = parsed(text)
      found.push([name, String(read ?? cutText(text)), read === undefined])
    }
  }
  return found
}

/** The beginning of a JSON text, without an escape that was cut in two. */
function cutText(text: string): string {
  const begun = text.replace(/…$/, '').replace(/\\(?:u[\da-f]{0,3})?$/, '')
  const read = parsed(`${begun}"`)
  return read === undefined ? text.slice(1) : `${read}…`
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
