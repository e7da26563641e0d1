import type { Approval } from '../../approval/approval.ts'
import { escapeUnseen } from '../../base/invisible-characters.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { MASK } from '../../base/secrets/mask.ts'
import { columnsOf, wrap } from '../../base/wrap.ts'

/** Clients cut a line at the edge of the terminal, and the narrowest of those has 80 columns. */
export const QUESTION_COLUMNS = 78
/** What is longer scrolls out of sight, so it is not asked in the client. */
export const QUESTION_LINES = 30

export interface Questioned {
  readonly approval: Pick<Approval, 'call'>
  /** As people may see them. */
  readonly args: JsonObject
  /** The policy's words about the call. */
  readonly message: string
}

/**
 * What the user of a client reads before they answer in it: every argument, whole, on lines that no
 * client cuts. Undefined where it does not fit; then people see it in the inbox.
 */
export function questionText(
  { approval: { call }, args, message }: Questioned,
  card: string | undefined,
): string | undefined {
  // Each line holds fewer characters than columns, so this cannot fit and is not laid out.
  if (JSON.stringify(args).length > QUESTION_LINES * QUESTION_COLUMNS) return undefined
  const rows = rowsOf(args, '')
  const lines = [
    `Countersign asks: may ${call.alias ?? call.agent} run this call?`,
    `Tool: ${call.tool}${call.server === undefined ? '' : ` of server ${call.server}`}`,
    ...(call.risk === undefined ? [] : [`Risk: ${call.risk}`]),
    rows.length === 0 ? 'It has no arguments.' : `Arguments (${rows.length}):`,
    // A long one last, so that it pushes no other out of sight.
    ...rows.toSorted((a, b) => columnsOf(a) - columnsOf(b) || (a < b ? -1 : 1)),
    ...summaryOf(message === defaultMessage(call.tool, args) ? '' : message),
    ...(rows.some((row) => row.includes(MASK)) ? [hiddenAt(card)] : []),
  ].flatMap((line) => wrap(escapeUnseen(line).replaceAll('\n', '\\n'), QUESTION_COLUMNS))
  return lines.length > QUESTION_LINES ? undefined : lines.join('\n')
}

/** One row for each value that holds no others. */
export function rowsOf(value: Json, path = ''): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item, at) => rowsOf(item, `${path}[${at}]`))
  }
  if (isPlainObject(value)) {
    const entries = Object.entries(value)
    if (entries.length > 0) {
      return entries.flatMap(([key, item]) => rowsOf(item as Json, inside(path, key)))
    }
    if (path === '') return []
  }
  return [`  ${path} = ${JSON.stringify(value)}`]
}

/** A key that could be taken for something else stands in quotes. */
function inside(path: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Its words may come from an argument, so no line of it looks like a row of the arguments. */
function summaryOf(message: string): string[] {
  if (message === '') return []
  return message.split('\n').map((line, at) => `${at === 0 ? 'Summary:' : '       |'} ${line}`)
}

/** Says nothing that the arguments do not say. */
function defaultMessage(tool: string, args: JsonObject): string {
  return `Run '${tool}' with arguments ${canonicalJson(args)}?`
}

function hiddenAt(card: string | undefined): string {
  return card === undefined ? 'Hidden values are not shown here.' : `Hidden values: ${card}`
}

/** For a client that opens addresses: the card shows the call, and the decision is made there. */
export function invitation({ call }: Pick<Approval, 'call'>): string {
  return [
    `Countersign asks: may ${call.alias ?? call.agent} run this call?`,
    `Tool: ${call.tool}${call.server === undefined ? '' : ` of server ${call.server}`}`,
    'Open the card to see its arguments and to decide.',
  ]
    .flatMap((line) => wrap(escapeUnseen(line).replaceAll('\n', '\\n'), QUESTION_COLUMNS))
    .join('\n')
}

/** Moves the cursor, clears the screen or rings: whatever a text could hide our words with. */
const STEERING = /(?!\n)\p{Cc}/gu

/** A server's own question says whose it is, so that none can pass for one of ours. */
export function askedByServer(server: string, method: string, params: JsonObject): JsonObject {
  if (method !== 'elicitation/create') return params
  const said = typeof params.message === 'string' ? params.message : ''
  const message = said.replace(STEERING, (char) => escapeUnseen(char))
  return { ...params, message: `Server ${server} asks, not Countersign:\n${message}` }
}
