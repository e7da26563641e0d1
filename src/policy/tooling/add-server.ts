import { isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml'
import { CountersignError } from '../../base/errors.ts'

/**
 * A policy file with one more item in `mcp_servers`. Every other character stays as it is: comments,
 * order and spelling belong to the people who wrote the file. What cannot be done so is refused.
 */
export function withServer(text: string, item: readonly string[]): string {
  const document = parseDocument(text)
  const root = document.contents
  if (document.errors.length > 0 || (root !== null && !isMap(root))) throw byHand()
  if (root?.has('action_space')) throw byHand()
  const list = root?.get('mcp_servers', true)
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const next = list === undefined ? appended(text, item, line) : inserted(text, list, item, line)
  assertOnlyAdded(text, next, item)
  return next
}

function appended(text: string, item: readonly string[], line: string): string {
  const before = text === '' || text.endsWith('\n') ? text : `${text}${line}`
  const lines = ['mcp_servers:', ...item.map((one) => `  ${one}`)]
  return `${before}${lines.join(line)}${line}`
}

function inserted(text: string, list: unknown, item: readonly string[], line: string): string {
  if (!isSeq(list) || list.flow === true || list.items.length === 0) throw byHand()
  const [first, last] = [list.items[0], list.items.at(-1)].map(rangeOf)
  if (!first || !last) throw byHand()
  const dash = text.lastIndexOf('-', first[0] - 1)
  const indent = text.slice(text.lastIndexOf('\n', dash) + 1, dash)
  if (dash === -1 || indent.trim() !== '') throw byHand()
  const end = endOfLine(text, text.slice(0, last[1]).trimEnd().length)
  const lines = item.map((one) => `${line}${indent}${one}`).join('')
  return `${text.slice(0, end)}${lines}${text.slice(end)}`
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  return (node as YAMLSeq | undefined)?.range ?? undefined
}

function endOfLine(text: string, from: number): number {
  const at = text.slice(from).search(/\r?\n/)
  return at === -1 ? text.length : from + at
}

/** Whatever the text holds: the result says what it said, and the item. */
function assertOnlyAdded(before: string, after: string, item: readonly string[]): void {
  const [old, now, added] = [before, after, item.join('\n')].map(parsed)
  const { mcp_servers: had = [], ...kept } = (old ?? {}) as Record<string, unknown>
  const { mcp_servers: has = [], ...rest } = (now ?? {}) as Record<string, unknown>
  const wanted = [...(had as unknown[]), ...(added as unknown[])]
  if (!isSame(kept, rest) || !isSame(wanted, has)) throw byHand()
}

function parsed(text: string): unknown {
  const document = parseDocument(text)
  if (document.errors.length > 0) throw byHand()
  return document.toJS()
}

const isSame = (one: unknown, two: unknown) => JSON.stringify(one) === JSON.stringify(two)

function byHand(): CountersignError {
  return new CountersignError('usage', 'the policy file is not written in a way this can add to', {
    hint: 'Add the lines to the file yourself; they come into force when it is applied.',
  })
}
