import type { Ask, Declaration, Defaults, GovernanceRule, PolicyDocument } from '../document.ts'
import type { Clause, Condition } from '../evaluate/condition.ts'
import { askLevel } from '../evaluate/declared.ts'
import type { Test } from '../evaluate/matcher.ts'
import type { Template } from '../evaluate/template.ts'
import type { RuleSubject, RuleWish, WishClause } from './rule-wish.ts'

/** Where a rule for these calls can stand in the owner's file. */
export function placesFor(owner: PolicyDocument, subject: RuleSubject): RuleWish['place'][] {
  const { kind, tool, server } = subject
  const isListed = server !== undefined && owner.servers.get(server)?.allowed?.has(tool) === true
  return kind === 'tool' && (server === undefined || isListed) ? ['tool', 'extra'] : ['extra']
}

/** The tool's own rule, or the extra rule of this name, as a form; undefined where there is none. */
export function ruleIn(
  owner: PolicyDocument,
  subject: RuleSubject,
  { place, id }: Pick<RuleWish, 'place' | 'id'>,
): RuleWish | undefined {
  if (place === 'tool') {
    const { tool, server } = subject
    const entry =
      server === undefined ? owner.tools.get(tool) : owner.servers.get(server)?.allowed?.get(tool)
    return entry?.approval && ownRule(entry.approval, owner.defaults)
  }
  const rule = owner.governance.find((one) => one.id === id)
  return rule && isAbout(rule, subject) ? extraRule(rule, owner.defaults) : undefined
}

/** A rule that looks at agents, at risk or at other calls says less, or more, than the form shows. */
function isAbout(rule: GovernanceRule, { tool, server }: RuleSubject): boolean {
  const isSame = rule.tool?.text === tool && rule.server?.text === server
  return isSame && rule.agent === undefined && rule.risk === undefined
}

/** A name for an extra rule that no other rule of the file has. */
export function freeId(
  { governance }: Pick<PolicyDocument, 'governance'>,
  { tool }: RuleSubject,
  does: 'ask' | 'refuse' = 'ask',
): string {
  const taken = new Set(governance.map(({ id }) => id))
  const base = `${does}-${tool.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 100)}`
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}-${n}`
    if (!taken.has(id)) return id
  }
}

function ownRule(declaration: Declaration, defaults: Defaults): RuleWish {
  if (declaration.asks === 'never') return { ...EMPTY, place: 'tool', verdict: 'allow' }
  return { ...askWish(declaration, defaults), place: 'tool', when: whenOf(declaration.condition) }
}

function extraRule(
  { id, condition, then }: GovernanceRule,
  defaults: Defaults,
): RuleWish | undefined {
  if ('deny' in then) {
    const when = whenOf(condition)
    return { ...EMPTY, place: 'extra', id, verdict: 'deny', when, told: then.deny }
  }
  // Two conditions, one inside of the other, are more than the form has.
  if (condition.form !== 'always' && then.ask.condition.form !== 'always') return undefined
  const when = whenOf(condition.form === 'always' ? then.ask.condition : condition)
  return { ...askWish(then.ask, defaults), place: 'extra', id, when }
}

const EMPTY = { when: [], approvers: [], quorum: [] } as const

function askWish(ask: Ask, defaults: Defaults): Omit<RuleWish, 'place' | 'when'> {
  const { approvers = [], quorum = [], decideBy, useBy, remindAfter, reason, template } = ask
  return {
    verdict: askLevel(ask, defaults) === 2 ? 'review' : 'confirm',
    approvers: approvers.map((one) => (one !== '*' && 'email' in one ? one.email : one)),
    quorum,
    ...(decideBy === undefined ? {} : { decideBy: durationText(decideBy) }),
    ...(useBy === undefined ? {} : { useBy: durationText(useBy) }),
    ...(remindAfter === undefined ? {} : { remindAfter: durationText(remindAfter) }),
    ...(reason === undefined ? {} : { reason }),
    ...(template === undefined ? {} : { question: questionText(template) }),
  }
}

const PROMPT_WORDS: ReadonlyMap<string, string> = new Map([
  ['toolName', 'tool_name'],
  ['args', 'tool_args'],
])

/** A prompt of `humanInTheLoop` knows `{args}`; a rule that is written anew has no such word. */
function questionText({ text, parts }: Template): string {
  const isPrompt = parts.some((part) => typeof part !== 'string' && PROMPT_WORDS.has(part.text))
  if (!isPrompt) return text
  return parts
    .map((part) =>
      typeof part === 'string' ? part : `{{${PROMPT_WORDS.get(part.text) ?? part.text}}}`,
    )
    .join('')
}

/** None where it always holds: an alternative that tests nothing is enough for all of them. */
function whenOf({ form, groups }: Condition): WishClause[][] {
  if (form === 'always') return []
  const when = groups.map((group) => group.flatMap(clauseWishes))
  return when.some((group) => group.length === 0) ? [] : when
}

function clauseWishes({ path, matcher }: Clause): WishClause[] {
  return matcher.map((test) => ({ path: path.text, op: test.op, value: operandOf(test) }))
}

function operandOf(test: Test): WishClause['value'] {
  if (test.op === 'pattern') return test.pattern.text
  return 'values' in test ? test.values : test.value
}

const UNITS: readonly (readonly [unit: string, size: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
]

/** 5_400_000 → `1h30m`, as policy files write it. */
export function durationText(ms: number): string {
  let left = ms
  let text = ''
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) text += `${count}${unit}`
  }
  return text
}
