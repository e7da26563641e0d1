import { canonicalJson } from '../../base/json/canonical.ts'
import { cutRanges, type ValueRange } from '../../base/message-parts.ts'
import { failure, type Result, success } from '../../base/result.ts'
import { parsePath, readPath } from './path.ts'

/** `Pay {{tool_args.amount}}?`: text and variables, no logic, filled in a single pass. */
export interface Template {
  readonly text: string
  readonly parts: readonly (string | Variable)[]
}

export interface Variable {
  /** As written between the braces. */
  readonly text: string
  readonly name: VariableName
  readonly keys: readonly string[]
}

/** Where a variable may go on with a path: never, optionally, always. */
const VARIABLES = {
  tool_name: 'whole',
  tool_args: 'either',
  agent_alias: 'whole',
  agent_id: 'whole',
  skill_id: 'whole',
  skill_args: 'either',
  mcp_server_alias: 'whole',
  remote_agent_alias: 'whole',
  'parent.input': 'inside',
} as const

export type VariableName = keyof typeof VARIABLES

/** A value for each variable; undefined is missing. */
export type Scope = { readonly [Name in VariableName]: unknown }

export interface Rendered {
  readonly message: string
  /** Variables that had no value, as written, each once. */
  readonly missing: readonly string[]
  /** Where the message holds what a variable brought. */
  readonly values: readonly ValueRange[]
}

export function parseTemplate(text: string): Result<Template> {
  return parse(text, /\{\{/g)
}

/** `humanInTheLoop` prompts know `{toolName}` and `{args}` as well. */
export function parsePrompt(text: string): Result<Template> {
  return parse(text, /\{\{|\{toolName\}|\{args\}/g)
}

const SHORT: ReadonlyMap<string, VariableName> = new Map([
  ['{toolName}', 'tool_name'],
  ['{args}', 'tool_args'],
])

function parse(text: string, opening: RegExp): Result<Template> {
  const parts: (string | Variable)[] = []
  let at = 0
  for (;;) {
    opening.lastIndex = at
    const found = opening.exec(text)
    if (!found) break
    const [mark] = found
    if (found.index > at) parts.push(text.slice(at, found.index))
    const short = SHORT.get(mark)
    if (short) {
      parts.push({ text: mark.slice(1, -1), name: short, keys: [] })
      at = found.index + mark.length
      continue
    }
    const end = text.indexOf('}}', found.index)
    if (end < 0) return failure('"{{" is never closed; write "{{tool_args.name}}"')
    const variable = parseVariable(text.slice(found.index + 2, end).trim())
    if (!variable.ok) return variable
    parts.push(variable.value)
    at = end + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return success({ text, parts })
}

function parseVariable(text: string): Result<Variable> {
  const path = parsePath(text)
  if (!path.ok) return failure(`"{{${text}}}": ${path.problem}`)
  const [first = '', second = ''] = path.value.keys
  const twoWords = `${first}.${second}`
  const name = twoWords === 'parent.input' ? twoWords : first
  if (!Object.hasOwn(VARIABLES, name)) {
    const known = Object.keys(VARIABLES).join(', ')
    return failure(`"{{${text}}}" is not a variable; use one of ${known}`)
  }
  const known = name as VariableName
  const keys = path.value.keys.slice(known === 'parent.input' ? 2 : 1)
  const form = VARIABLES[known]
  if (form === 'whole' && keys.length > 0) return failure(`"{{${text}}}": ${known} has no parts`)
  if (form === 'inside' && keys.length === 0) {
    return failure(`"{{${text}}}" needs a name after it, such as {{${known}.action}}`)
  }
  return success({ text, name: known, keys })
}

/**
 * Strings as they are, everything else as canonical JSON; what is missing is empty, and listed.
 * With `most` it ends after so many characters: a template can name a long argument many times.
 */
export function render({ parts }: Template, scope: Scope, most = Infinity): Rendered {
  const missing = new Set<string>()
  const values: ValueRange[] = []
  let message = ''
  for (const part of parts) {
    const start = message.length
    message += written(part, scope, missing)
    if (typeof part !== 'string' && message.length > start) values.push([start, message.length])
    if (message.length > most) {
      return {
        message: `${message.slice(0, most)}…`,
        missing: [...missing],
        values: cutRanges(values, most),
      }
    }
  }
  return { message, missing: [...missing], values }
}

function written(part: string | Variable, scope: Scope, missing: Set<string>): string {
  if (typeof part === 'string') return part
  const value = readPath(scope[part.name], part.keys)
  if (value === undefined) missing.add(part.text)
  return typeof value === 'string' ? value : value === undefined ? '' : canonicalJson(value)
}

const fallback = parseTemplate("Run '{{tool_name}}' with arguments {{tool_args}}?")
if (!fallback.ok) throw new Error(fallback.problem)
export const DEFAULT_TEMPLATE: Template = fallback.value
