import { type Call, isRisk, READ_METHODS } from '../base/call.ts'
import { CountersignError, isCountersignError } from '../base/errors.ts'
import { canonicalJson } from '../base/json/canonical.ts'
import { isPlainObject } from '../base/json/json.ts'
import { workflowProblem } from './workflow-context.ts'

type Raw = { readonly [key: string]: unknown }

export const KEYS =
  'kind, tool, server, agent, principal, run, key, risk, args, parent, context, form'.split(', ')
export const NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** Names and ids. Globs are matched against them, so they must not be arbitrarily long. */
export const MAX_TEXT = 1_024

const EMPTY: Partial<Call> = {}

/**
 * Whether a careless merge of foreign JSON has put a part of a call into `Object.prototype`. Every
 * call then seems to have it, so none can be judged by what it says. Read one by one: this is on
 * the way of every call.
 */
export function isPolluted(): boolean {
  return (
    EMPTY.kind !== undefined ||
    EMPTY.tool !== undefined ||
    EMPTY.server !== undefined ||
    EMPTY.agent !== undefined ||
    EMPTY.principal !== undefined ||
    EMPTY.run !== undefined ||
    EMPTY.key !== undefined ||
    EMPTY.risk !== undefined ||
    EMPTY.args !== undefined ||
    EMPTY.parent !== undefined ||
    EMPTY.context !== undefined ||
    EMPTY.form !== undefined
  )
}

/**
 * A call that came from outside, checked. Unknown keys are refused as well: `arguments` instead of
 * `args` would otherwise be a call without arguments.
 */
export function readCall(value: unknown): Call {
  try {
    return readPlain(value)
  } catch (error) {
    if (isCountersignError(error)) throw error
    // Reading hostile objects (a getter that throws, a revoked proxy) fails in ways of their own.
    throw new CountersignError('invalid_call', 'the call cannot be read', { cause: error })
  }
}

function readPlain(value: unknown): Call {
  const call = shapedCall(value)
  // Throws unsafe_number, too_deep and the like: what has no canonical bytes is refused here.
  const { args, parent, ...rest } = call
  canonicalJson(args)
  if (parent) canonicalJson(parent.input)
  canonicalJson(rest)
  return call
}

/** For plain values alone: whether they are put together as a call is, whatever the values are. */
export function shapedCall(value: unknown): Call {
  if (!isPlainObject(value))
    throw invalid('a call is an object', 'such as {"tool":"pay","args":{}}')
  if (isPolluted()) {
    const names = KEYS.filter((key) => key in EMPTY).join(', ')
    throw invalid(
      `Object.prototype has ${names}, so every call seems to`,
      'find what merges foreign JSON into objects, and restart',
    )
  }
  for (const key of Object.keys(value)) {
    if (!KEYS.includes(key))
      throw invalid(`"${key}" is not part of a call`, `it knows ${KEYS.join(', ')}`)
  }
  const { kind = 'tool', tool, server, risk, args } = value
  if (kind !== 'tool' && kind !== 'agent' && kind !== 'skill') {
    throw invalid('kind is not one of ours', 'use tool, agent or skill')
  }
  const isRead = kind === 'tool' && server !== undefined && READ_METHODS.has(tool as string)
  if (typeof tool !== 'string' || !(isRead || NAME.test(tool))) {
    throw invalid('tool is not a name', '1 to 128 of the characters A-Z a-z 0-9 _ . -')
  }
  for (const key of ['server', 'principal', 'run', 'key']) text(value, key)
  if (server === '') throw invalid('server is empty', 'leave it out for tools that run in-process')
  if (kind === 'agent' && server !== undefined) {
    throw invalid('a delegation has no server', 'tool is the alias of the sub-agent')
  }
  if (kind === 'skill' && server === undefined) {
    throw invalid('a skill needs a server', 'server is the alias of the remote agent')
  }
  if (risk !== undefined && !isRisk(risk)) throw invalid('risk is not a level', 'use L0 to L5')
  if (!isPlainObject(args))
    throw invalid('args is not an object', 'use {} for a call without arguments')
  readAgent(value.agent)
  readParent(value.parent)
  readContext(value.context)
  if (value.form !== undefined && !isPlainObject(value.form)) {
    throw invalid('form is not an object', 'use a JSON Schema of type object')
  }
  return value as unknown as Call
}

function readAgent(agent: unknown): void {
  if (agent === undefined) return
  if (typeof agent === 'string') {
    text({ agent }, 'agent')
    return
  }
  if (!isPlainObject(agent))
    throw invalid('agent is not a name', 'use "alias" or {"alias":…,"id":…}')
  for (const key of Object.keys(agent)) {
    if (key !== 'alias' && key !== 'id')
      throw invalid(`agent.${key} is unknown`, 'it knows alias and id')
  }
  text(agent, 'alias')
  text(agent, 'id')
}

function readParent(parent: unknown): void {
  if (parent === undefined) return
  if (!isPlainObject(parent) || !isPlainObject(parent.input) || Object.keys(parent).length !== 1) {
    throw invalid('parent is not understood', 'use {"input":{…}}')
  }
}

function readContext(context: unknown): void {
  if (context === undefined) return
  if (!isPlainObject(context))
    throw invalid('context is not an object', 'use {"says":"…","links":[…]}')
  const { says, links, workflow, ...rest } = context
  const [extra] = Object.keys(rest)
  if (extra !== undefined)
    throw invalid(`context.${extra} is unknown`, 'it knows says, links and workflow')
  if (says !== undefined && typeof says !== 'string')
    throw invalid('context.says is not text', 'use a string')
  const problem = workflow === undefined ? undefined : workflowProblem(workflow)
  if (problem) throw invalid(...problem)
  if (links === undefined) return
  if (!Array.isArray(links) || !links.every((link) => typeof link === 'string')) {
    throw invalid('context.links is not a list of texts', 'use ["https://…"]')
  }
}

function text(value: Raw, key: string): void {
  const found = value[key]
  if (found !== undefined && typeof found !== 'string')
    throw invalid(`${key} is not text`, 'use a string')
  if (typeof found === 'string' && found.length > MAX_TEXT)
    throw invalid(`${key} is too long`, `at most ${MAX_TEXT} characters`)
}

function invalid(what: string, right: string): CountersignError {
  return new CountersignError('invalid_call', `${what}: ${right}`)
}
