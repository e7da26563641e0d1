import { type Risk, riskRank } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { loadDeclaration } from '../../policy/load/load.ts'
import { type Capabilities, riskOf } from '../sandbox/capabilities.ts'
import type { Language } from '../sandbox/messages.ts'

/** A tool as its author wrote it. */
export interface ToolSpec {
  readonly description: string
  readonly language: Language
  readonly source: string
  /** JSON Schema of the arguments: an object. */
  readonly inputSchema: JsonObject
  readonly capabilities: Capabilities
  readonly hitl: HumanInTheLoop
  /** The author's word. It raises what is computed and lowers nothing. */
  readonly risk?: Risk
  readonly test: ToolTest
}

export interface HumanInTheLoop {
  readonly mode: 'REQUIRED' | 'DISABLED'
  /** What the approver reads: `{toolName}` and `{args}` are filled in, as are our own templates. */
  readonly prompt?: string
}

/** Runs before each publication. Passes when there is no error and the result is as expected. */
export interface ToolTest {
  readonly args: JsonObject
  /** Absent: any result will do. */
  readonly expect?: Json
}

const NAME = /^[a-z][a-z0-9_]{0,47}$/
const HOST = /^(?:\*|[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?|\[[0-9a-f:]+\](:\d{1,5})?)$/
/** Direction marks, and line ends of JavaScript that editors show as nothing: after `//` code runs. */
const HIDING = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/
const SECRET = /^[A-Z][A-Z0-9_]{0,63}$/

export function checkStudioName(name: string): void {
  if (NAME.test(name)) return
  throw invalid('a tool has a name of a-z, 0-9 and _, at most 48 characters, a letter first')
}

export function checkSecretName(name: string): void {
  if (SECRET.test(name)) return
  throw invalid('a secret has a name of A-Z, 0-9 and _, a letter first')
}

/** What the shape of a request cannot say. */
export function checkSpec({ capabilities, inputSchema, source, hitl }: ToolSpec): void {
  const { net, secrets } = capabilities
  const host = net.find((one) => !HOST.test(one))
  if (host !== undefined) {
    throw invalid(`${JSON.stringify(host)} is no host; use names as api.example.com, or *`)
  }
  for (const secret of secrets) checkSecretName(secret)
  if (secrets.length > 0 && net.includes('*')) {
    throw invalid('a tool with secrets names its hosts: a secret is never sent to just any host')
  }
  if (source.trim() === '') throw invalid('the source is empty')
  const hidden = HIDING.exec(source)
  if (hidden) {
    const line = source.slice(0, hidden.index).split('\n').length
    const code = hidden[0].charCodeAt(0).toString(16)
    throw invalid(
      `line ${line} of the source holds U+${code.toUpperCase()}, so an editor shows other code than runs; write \\u${code} in a text`,
    )
  }
  if (inputSchema.type !== 'object' || !isPlainObject(inputSchema.properties ?? {})) {
    throw invalid('the schema of the arguments is that of an object')
  }
  const declared = declarationOf('tool', hitl)
  if (!declared.ok) {
    throw invalid(`its question cannot be read: ${declared.mistakes[0]?.message ?? 'unknown'}`)
  }
}

/** The flag of a tool in the words of a policy file. */
export function declarationOf(name: string, { mode, prompt }: HumanInTheLoop) {
  const humanInTheLoop = { mode, ...(prompt === undefined ? {} : { promptTemplate: prompt }) }
  return loadDeclaration(`studio.${name}`, { humanInTheLoop })
}

export function specRisk({ capabilities, risk }: Pick<ToolSpec, 'capabilities' | 'risk'>): Risk {
  return riskOf(capabilities, risk)
}

/** What a new tool gets: no question at L0, one above. */
export function defaultMode(risk: Risk): HumanInTheLoop['mode'] {
  return risk === 'L0' ? 'DISABLED' : 'REQUIRED'
}

interface Asked {
  readonly mode: HumanInTheLoop['mode']
  readonly risk: Risk
}

/** Whether people would be asked less than by default, and were not already under this risk. */
export function isLowering(next: Asked, before: Asked | undefined): boolean {
  const asksLess = next.mode === 'DISABLED' && defaultMode(next.risk) === 'REQUIRED'
  if (!asksLess) return false
  return before?.mode !== 'DISABLED' || riskRank(next.risk) > riskRank(before.risk)
}

function invalid(message: string): CountersignError {
  return new CountersignError('invalid_value', message)
}
