import { agentAlias, agentId, type Call } from '../../base/call.ts'
import { isCountersignError } from '../../base/errors.ts'
import { isSafeNumber } from '../../base/json/canonical.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { mask, type Secrecy } from '../../base/secrets/mask.ts'
import type { ToolEntry } from '../document.ts'
import type { Policy } from '../policy.ts'
import { shownArguments } from './declared.ts'
import { type Judgement, judge, type Looked } from './judge.ts'
import { type AskOutline, denied, type Outline, outlineOf, type Wording } from './merge.ts'
import { ANNOTATED, type SettledMode } from './mode.ts'
import { DEFAULT_TEMPLATE, type Rendered, render, type Scope } from './template.ts'
import { ALLOW, type Asks, type Deny, type Verdict } from './verdict.ts'

/** One for all calls: an allowed call leaves nothing behind. */
const NOTHING_BESIDE: readonly Looked[] = []

/**
 * Allow, confirm, review or deny, and why. Synchronous, total, the same for every door. `secrecy`:
 * what is known of secrets besides the policy, such as the tool's schema; it stays out of the words.
 * `agents`: what a remote agent declares of its tool. `beside`: what decision points said.
 */
export function evaluate(
  policy: Policy,
  call: Call,
  mode: SettledMode = ANNOTATED,
  secrecy?: Secrecy,
  agents?: ToolEntry,
  beside: readonly Looked[] = NOTHING_BESIDE,
): Verdict {
  if (agents === undefined && beside.length === 0 && mode.kind === 'annotated') {
    const level = policy.level(call, mode)
    if (level === 0) return ALLOW
    // From a copy: arguments that answer each reader otherwise must not decide what is remembered.
    const held = heldCall(call)
    const outline = held && policy.outline(held)
    if (level === 3 && outline?.verdict === 'deny') return outline
    if (held && outline && level < 3) {
      const known = knownQuestion(policy, held, outline, secrecy)
      if (known) return known
    }
  }
  const judgement = judge(policy, call, mode, agents)
  const looked = [...judgement.looked, ...beside]
  return verdictFrom(policy, call, { ...judgement, looked }, secrecy)
}

function knownQuestion(
  policy: Policy,
  held: Call,
  outline: Outline,
  secrecy: Secrecy | undefined,
): Verdict | undefined {
  if (outline.verdict === 'deny') return undefined
  // What else is known of secrets is the caller's, who may change it before the words are read.
  return secrecy && isInformed(secrecy)
    ? askedNow(policy, held, outline, secrecy)
    : askedLater(policy, held, outline)
}

function isInformed({ paths = [], schema, known = [] }: Secrecy): boolean {
  return schema !== undefined || paths.length > 0 || known.length > 0
}

/** The verdict's word alone: cheaper than `evaluate` when the reasons do not matter. */
export function verdictWord(policy: Policy, call: Call, mode: SettledMode = ANNOTATED) {
  const level = policy.level(call, mode)
  return level === 0 ? 'allow' : level === 1 ? 'confirm' : level === 2 ? 'review' : 'deny'
}

/** The verdict that the rules give together. */
export function verdictFrom(
  policy: Policy,
  call: Call,
  judgement: Judgement,
  secrecy?: Secrecy,
): Verdict {
  const outline = outlineOf(policy, judgement)
  if (outline === undefined) return ALLOW
  return outline.verdict === 'deny' ? outline : askedNow(policy, call, outline, secrecy)
}

/** Asks at once: the words are put together here, and what cannot be shown is denied. */
function askedNow(
  policy: Policy,
  call: Call,
  { wording, ...outline }: AskOutline,
  secrecy: Secrecy | undefined,
): Asks | Deny {
  try {
    const { message, missing, values } = worded(wording, scopeOf(policy, call, secrecy))
    const { verdict, ...rest } = outline
    return { verdict, message, missing, values, ...rest }
  } catch (error) {
    // Arguments without a canonical form cannot be shown, so no approval can be asked for them.
    if (!isCountersignError(error)) throw error
    const why = `The arguments cannot be shown to a person: ${error.message}.`
    return denied(why, outline.reasons)
  }
}

/** Asks about a call of `heldCall`: the words are put together when the first reader wants them. */
function askedLater(policy: Policy, held: Call, outline: AskOutline): Asks {
  return new Question(policy, held, outline) as unknown as Asks
}

class Question {
  readonly #policy: Policy
  readonly #held: Call
  readonly #wording: Wording
  #words: Rendered | undefined

  constructor(policy: Policy, held: Call, outline: AskOutline) {
    this.#policy = policy
    this.#held = held
    this.#wording = outline.wording
    const fields = this as Record<string, unknown>
    fields.verdict = outline.verdict
    // Members of its own, so that copies of the verdict and its JSON have the words as well.
    Object.defineProperty(this, 'message', MESSAGE)
    Object.defineProperty(this, 'missing', MISSING)
    Object.defineProperty(this, 'values', VALUES)
    const { reasons, requirements, terms, authored, leavesUseBy, rememberNo } = outline
    if (authored) fields.authored = authored
    fields.reasons = reasons
    fields.requirements = requirements
    fields.terms = terms
    if (leavesUseBy) fields.leavesUseBy = leavesUseBy
    if (rememberNo !== undefined) fields.rememberNo = rememberNo
  }

  static words(question: Question): Rendered {
    question.#words ??= worded(question.#wording, scopeOf(question.#policy, question.#held))
    return question.#words
  }
}

const MESSAGE: PropertyDescriptor & ThisType<Question> = {
  get() {
    return Question.words(this).message
  },
  enumerable: true,
}
const MISSING: PropertyDescriptor & ThisType<Question> = {
  get() {
    return Question.words(this).missing
  },
  enumerable: true,
}

const VALUES: PropertyDescriptor & ThisType<Question> = {
  get() {
    return Question.words(this).values
  },
  enumerable: true,
}

/** An agent's words stand beside the question, which shows the arguments itself. */
const AGENT_WORDS = 4_000

function worded({ template, quoted }: Wording, scope: Scope): Rendered {
  if (template) return render(template, scope)
  const question = render(DEFAULT_TEMPLATE, scope)
  if (!quoted) return question
  const { message, missing } = render(quoted, scope, AGENT_WORDS)
  // As a JSON string: it cannot end its own quotation, nor begin a line.
  const start = `${question.message} The agent says: `
  const said = JSON.stringify(message)
  const values = [...question.values, [start.length, start.length + said.length] as const]
  return { message: start + said, missing, values }
}

function scopeOf(policy: Policy, call: Call, secrecy?: Secrecy): Scope {
  const { owner } = policy
  const { kind = 'tool', tool, server } = call
  const { value: args } = shownArguments(policy, call, secrecy)
  const remote = kind === 'skill' ? server : owner.remoteAgents.has(tool) ? tool : undefined
  return {
    tool_name: tool,
    tool_args: args,
    agent_alias: kind === 'agent' ? tool : agentAlias(call),
    agent_id: agentId(call) ?? owner.agentId,
    skill_id: kind === 'skill' ? tool : undefined,
    skill_args: kind === 'skill' ? args : undefined,
    mcp_server_alias: kind === 'tool' ? server || undefined : undefined,
    remote_agent_alias: kind === 'tool' ? undefined : remote,
    'parent.input': kind === 'agent' ? mask(call.parent?.input).value : undefined,
  }
}

/** Characters and members of a call whose words may wait, so that showing it can never fail. */
const MOST = 16_384
const DEEPEST = 16

/**
 * The call as it is now, in objects that no other code holds: what is judged is what is shown later,
 * whatever becomes of the caller's objects. Undefined where showing it could fail, or where its
 * objects are not plain JSON: such a call is judged and worded at once.
 */
function heldCall(call: Call): Call | undefined {
  const { kind, tool, server, agent, risk } = call
  if (kind === 'agent' || typeof tool !== 'string') return undefined
  const alias = agentAlias(call)
  const id = agentId(call)
  if (!isText(server) || !isText(alias) || !isText(id)) return undefined
  const args = plainCopy(call.args)
  if (args === undefined) return undefined
  const named = typeof agent === 'object' ? { alias, id } : agent
  return { kind, tool, server, agent: named, risk, args: args as JsonObject } as Call
}

function plainCopy(args: unknown): unknown {
  try {
    return copyOf(args, DEEPEST, { left: MOST })
  } catch {
    // A revoked proxy, or one that throws. What is wrong with it is found out when it is worded.
    return undefined
  }
}

function isText(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.length <= MOST)
}

/** Undefined where it is not plain JSON, or too much of it. */
function copyOf(value: unknown, depth: number, budget: { left: number }): unknown {
  switch (typeof value) {
    case 'string':
      budget.left -= value.length
      return budget.left >= 0 && value.isWellFormed() ? value : undefined
    case 'number':
      return isSafeNumber(value) ? value : undefined
    case 'boolean':
      return value
    case 'object':
      if (value === null) return value
      if (depth === 0) return undefined
      return Array.isArray(value)
        ? listCopy(value, depth, budget)
        : objectCopy(value, depth, budget)
    default:
      return undefined
  }
}

const FRESH: object = {}

/** For each member besides its own characters: quotes, colon and comma, or a number. */
const MEMBER = 8

function listCopy(list: readonly unknown[], depth: number, budget: { left: number }): unknown {
  if (Object.getPrototypeOf(list) !== Array.prototype) return undefined
  // Members besides its items, such as a constructor, would change how others copy it.
  if (Object.getOwnPropertyNames(list).length !== list.length + 1) return undefined
  budget.left -= MEMBER * list.length
  if (budget.left < 0) return undefined
  const copy: unknown[] = []
  // By index, as readers of JSON do: its iterator may be its own.
  for (let index = 0; index < list.length; index++) {
    const held = copyOf(list[index], depth - 1, budget)
    if (held === undefined) return undefined
    copy.push(held)
  }
  return copy
}

function objectCopy(from: object, depth: number, budget: { left: number }): unknown {
  if (Object.getPrototypeOf(from) !== Object.prototype) return undefined
  const copy: { [key: string]: unknown } = {}
  // Names and not keys: a rule reads members that are not enumerated, and no reader is shown them.
  const names = Object.getOwnPropertyNames(from)
  budget.left -= MEMBER * names.length
  if (budget.left < 0) return undefined
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string
    const member = Object.getOwnPropertyDescriptor(from, name)
    // Computed, or called as something that every object has: not to be copied by assignment.
    if (!member?.enumerable || 'get' in member || name in FRESH) return undefined
    budget.left -= name.length
    const held = name.isWellFormed() ? copyOf(member.value, depth - 1, budget) : undefined
    if (held === undefined) return undefined
    copy[name] = held
  }
  return copy
}
