import type { JSONSchema7, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isPlainObject, type JsonObject } from '../base/json/json.ts'

export interface RehearsalTool {
  readonly name: string
  readonly schema: JSONSchema7
}

export interface RehearsalCall {
  readonly tool: string
  readonly args: JsonObject
}

/** What the rehearsal model says and calls next. */
export interface RehearsalStep {
  readonly text: string
  readonly calls: readonly RehearsalCall[]
}

/** More than people type to try something; all of it is read in the server's own thread. */
const MOST_TEXT = 8_000
const MOST_LINE = 1_000
const MOST_CALLS = 16
const MOST_BRACES = 100

/** A request in plain words, and the sample tool that it means. */
interface Phrase {
  readonly words: RegExp
  readonly tool: string
  readonly args: (found: Readonly<Record<string, string | undefined>>) => JsonObject
}

const PHRASES: readonly Phrase[] = [
  {
    words:
      /\b(?:pay|transfer to)\s+(?<to>\S(?:.*?\S)?)\s+(?<sign>[€$])?(?<amount>\d[\d.,' ]*)\s*(?<currency>eur|usd)?\b(?:\s+(?:for|memo)\s+(?<memo>.+))?/i,
    tool: 'sample_pay_invoice',
    args: ({ to = '', amount = '', currency, sign, memo }) => ({
      to,
      amount: amountOf(amount),
      currency: currency?.toUpperCase() ?? (sign === '$' ? 'USD' : 'EUR'),
      memo: memo ?? `Invoice of ${to}`,
    }),
  },
  {
    words:
      /\b(?:mail|e-mail|email|write to)\s+(?<to>\S+@\S+|\w+)(?:\s+(?:that|saying|about)?\s*:?\s*(?<body>.+))?/i,
    tool: 'sample_send_mail',
    args: ({ to = '', body }) => ({
      to: to.includes('@') ? to : `${to.toLowerCase()}@example.com`,
      subject: body === undefined ? 'A short note' : body.slice(0, 60),
      body: body ?? 'Hello,\n\nthis is a note from the chat.\n',
    }),
  },
  {
    words:
      /\b(?:calendar|free)\b(?:.*?\b(?<day>monday|tuesday|wednesday|thursday|friday|today|tomorrow))?/i,
    tool: 'sample_read_calendar',
    args: ({ day = 'today' }) => ({ day }),
  },
]

/**
 * Reads the conversation's last part. Nothing in a tool's result makes it call anything: it obeys
 * the user's own text alone.
 */
export function nextStep(
  prompt: LanguageModelV4Prompt,
  tools: readonly RehearsalTool[],
): RehearsalStep {
  const last = prompt.findLastIndex(({ role }) => role === 'user')
  const answered = prompt.slice(last + 1)
  const results = answered.flatMap((message) => (message.role === 'tool' ? message.content : []))
  if (results.some(({ type }) => type === 'tool-result')) {
    const lines = results.flatMap((part) => (part.type === 'tool-result' ? [tell(part)] : []))
    return { text: lines.join('\n\n'), calls: [] }
  }
  const message = prompt[last]
  const text =
    message?.role === 'user'
      ? message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      : ''
  const calls = callsIn(text.slice(0, MOST_TEXT), tools).slice(0, MOST_CALLS)
  if (calls.length === 0) return { text: helpWith(tools), calls }
  const names = calls.map(({ tool }) => `\`${tool}\``)
  return { text: `I call ${names.join(', then ')}.`, calls }
}

function callsIn(text: string, tools: readonly RehearsalTool[]): RehearsalCall[] {
  const explicit = explicitCalls(text, tools)
  if (explicit.length > 0) return explicit
  return clausesOf(text).flatMap((clause) => {
    for (const { words, tool, args } of PHRASES) {
      const found = words.exec(clause)
      if (found && tools.some(({ name }) => name === tool)) {
        return [{ tool, args: args(found.groups ?? {}) }]
      }
    }
    return []
  })
}

/** Blanks are made one first: patterns with several runs of them take very long to fail. */
function clausesOf(text: string): string[] {
  return text
    .split(/[;\n]/)
    .slice(0, MOST_CALLS)
    .flatMap((line) =>
      line
        .replace(/\s+/g, ' ')
        .slice(0, MOST_LINE)
        .split(/,? (?:and|then) /i),
    )
}

/** `tool_name {"a": 1}`, one or more: any tool that is offered, by its name. */
function explicitCalls(text: string, tools: readonly RehearsalTool[]): RehearsalCall[] {
  const found: { readonly at: number; readonly call: RehearsalCall }[] = []
  for (const { name, schema } of tools) {
    let at = indexOfWord(text, name, 0)
    for (let count = 0; at !== -1 && count < MOST_CALLS; count++) {
      const rest = text.slice(at + name.length)
      const args = objectAt(rest.slice(rest.search(/\S/))) ?? filled(schema)
      found.push({ at, call: { tool: name, args } })
      at = indexOfWord(text, name, at + name.length)
    }
  }
  return found.toSorted((one, two) => one.at - two.at).map(({ call }) => call)
}

function indexOfWord(text: string, word: string, from: number): number {
  const at = text.indexOf(word, from)
  if (at === -1) return -1
  const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`
  return /[\w.-]{1}/.test(around.replace(/[\s.]/g, '').replace(/[^\w-]/g, ''))
    ? indexOfWord(text, word, at + word.length)
    : at
}

/** The JSON object at the start of a text: the shortest that parses. */
function objectAt(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined
  let end = text.indexOf('}')
  for (
    let tries = 0;
    end !== -1 && tries < MOST_BRACES;
    tries++, end = text.indexOf('}', end + 1)
  ) {
    try {
      const value: unknown = JSON.parse(text.slice(0, end + 1))
      return isPlainObject(value) ? (value as JsonObject) : undefined
    } catch {}
  }
  return undefined
}

/** Something for each required member, so that a tool can be tried by its name alone. */
function filled({ properties = {}, required = [] }: JSONSchema7): JsonObject {
  return Object.fromEntries(
    required.map((name) => {
      const one = Object.hasOwn(properties, name) ? properties[name] : undefined
      const schema = typeof one === 'object' ? one : {}
      const value =
        schema.default ?? schema.examples ?? schema.enum?.[0] ?? SAMPLE.get(String(schema.type))
      return [
        name,
        (Array.isArray(value) && schema.type !== 'array' ? value[0] : value) ?? 'sample',
      ]
    }),
  ) as JsonObject
}

const SAMPLE: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['string', 'sample'],
  ['number', 1],
  ['integer', 1],
  ['boolean', false],
  ['array', []],
  ['object', {}],
])

interface ToolResult {
  readonly toolName: string
  readonly output: { readonly type: string; readonly value?: unknown; readonly reason?: string }
}

function tell({ toolName, output }: ToolResult): string {
  const { type, value, reason } = output
  switch (type) {
    case 'execution-denied':
      return `\`${toolName}\` did not run. ${reason ?? 'It was not approved.'}`
    case 'error-text':
    case 'error-json':
      return `\`${toolName}\` did not give a result: ${textOf(value)}`
    case 'content':
      return `\`${toolName}\` ran. It answered:\n\n\`\`\`\n${partsOf(value)}\n\`\`\``
    default:
      return `\`${toolName}\` ran. It answered:\n\n\`\`\`json\n${textOf(value)}\n\`\`\``
  }
}

/** What people changed is told beside the result, as parts of one content. */
function partsOf(value: unknown): string {
  if (!Array.isArray(value)) return textOf(value)
  return value.map((part: { readonly text?: unknown }) => textOf(part.text ?? part)).join('\n')
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, 2_000)
  return (JSON.stringify(value, undefined, 2) ?? '').slice(0, 2_000)
}

function amountOf(text: string): number {
  const plain = text.trim().replace(/[' ]/g, '')
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(plain)
  return Number(isGrouped ? plain.replace(/[.,]/g, '') : plain.replace(',', '.').replace(/\.$/, ''))
}

function helpWith(tools: readonly RehearsalTool[]): string {
  const names = tools.slice(0, 8).map(({ name }) => `\`${name}\``)
  const offer =
    names.length === 0 ? 'No tools are offered here yet.' : `Tools here: ${names.join(', ')}.`
  return `I am the rehearsal model: scripted, offline, and good for trying approvals. Ask me to \`Pay Northwind 18,400\`, or name a tool with its arguments, such as \`tool_name {"key": "value"}\`. ${offer}`
}
