import { isMap, isScalar, isSeq, YAMLMap, YAMLSeq } from 'yaml'
import { CountersignError } from '../../base/errors.ts'
import {
  byHand,
  isSame,
  NEW_POLICY,
  nodeOf,
  type OpenPolicy,
  openPolicy,
  plainPolicy,
  put,
} from './policy-text.ts'
import type { RuleSubject, RuleWish, WishClause } from './rule-wish.ts'

/**
 * The owner's file with this rule in it. Everything else says what it said before, comments
 * included; a file that cannot be changed so is refused.
 */
export function withRule(text: string, subject: RuleSubject, wish: RuleWish): string {
  const open = openPolicy(text)
  if (wish.place === 'tool') writeToolRule(open, subject, wish)
  else writeExtraRule(open, subject, wish)
  const next = open.close()
  assertOnlyThat(text, next, subject, wish)
  return next
}

function writeToolRule(open: OpenPolicy, subject: RuleSubject, wish: RuleWish): void {
  if (wish.verdict === 'deny') {
    throw wrong('only an extra rule can deny', 'Make it an extra rule.')
  }
  const entry =
    subject.server === undefined ? toolEntry(open, subject) : allowedEntry(open, subject)
  entry.delete('humanInTheLoop')
  if (wish.verdict === 'allow') {
    put(open, entry, 'approval', false)
    return
  }
  const found = entry.get('approval', true)
  const map = isMap(found) ? (found as unknown as YAMLMap) : new YAMLMap()
  writeAsk(open, map, wish)
  put(open, map, 'condition', conditionOf(wish.when))
  if (map.items.length === 0) put(open, entry, 'approval', true)
  else if (map !== (found as unknown)) entry.set('approval', map)
}

function toolEntry(open: OpenPolicy, { kind, tool }: RuleSubject): YAMLMap {
  if (kind !== 'tool')
    throw wrong('only tools have an entry of their own', 'Make it an extra rule.')
  return mapIn(mapIn(open.root, 'tools'), tool)
}

/** A tool of a server has an entry where the server lists what may be called. */
function allowedEntry({ root }: OpenPolicy, { tool, server }: RuleSubject): YAMLMap {
  const servers = root.get('mcp_servers', true)
  const found = isSeq(servers)
    ? servers.items.find((item) => isMap(item) && item.get('alias') === server)
    : undefined
  const allowed = isMap(found) ? found.get('allowed_tools', true) : undefined
  if (!isSeq(allowed)) {
    throw wrong('this server does not list its tools', 'Make it an extra rule.')
  }
  const at = allowed.items.findIndex(
    (item) => (isScalar(item) && item.value === tool) || (isMap(item) && item.get('name') === tool),
  )
  const item = allowed.items[at]
  if (item === undefined)
    throw wrong('this server does not allow the tool', 'Make it an extra rule.')
  if (isMap(item)) return item as unknown as YAMLMap
  const entry = new YAMLMap()
  entry.set('name', tool)
  allowed.flow = false
  allowed.items[at] = entry
  return entry
}

function writeExtraRule(open: OpenPolicy, subject: RuleSubject, wish: RuleWish): void {
  const { id, verdict } = wish
  if (id === undefined || id === '') throw wrong('an extra rule needs a name', 'Name it.')
  if (verdict === 'allow') {
    throw wrong('an extra rule can only ask more', "Change the tool's own rule instead.")
  }
  const rule = itemWith(seqIn(open.root, 'governance'), id)
  assertOwn(rule, subject)
  const match = mapIn(rule, 'match')
  put(open, match, 'tool', subject.tool)
  put(open, match, 'server', subject.server)
  put(open, rule, 'condition', conditionOf(wish.when))
  if (verdict === 'deny') {
    rule.delete('approval')
    put(open, rule, 'deny', wish.told ?? 'This call is not allowed.')
    return
  }
  rule.delete('deny')
  const found = rule.get('approval', true)
  const map = isMap(found) ? (found as unknown as YAMLMap) : new YAMLMap()
  // The form has one condition. Another one inside would let calls pass that the form asks about.
  map.delete('condition')
  writeAsk(open, map, wish)
  if (map.items.length === 0) put(open, rule, 'approval', true)
  else if (map !== (found as unknown)) rule.set('approval', map)
}

/** A rule about other calls keeps its name to itself; without a match it is about all of them. */
function assertOwn(rule: YAMLMap, { tool, server }: RuleSubject): void {
  const isNew = rule.items.length === 1
  if (isNew) return
  const match = rule.get('match', true)
  const isNarrower = isMap(match) && (match.has('agent') || match.has('risk'))
  const isSame = isMap(match) && match.get('tool') === tool && match.get('server') === server
  if (isSame && !isNarrower) return
  throw wrong('another rule has this name', 'Choose another name for it.')
}

/** The keys the form knows; all others of the map stay. */
function writeAsk(open: OpenPolicy, map: YAMLMap, wish: RuleWish): void {
  const { verdict, approvers, quorum, question } = wish
  const isReview = verdict === 'review'
  // Without names the people in `defaults` decide. Anyone at all is for files that name none there.
  const isOpen = !open.root.hasIn(['defaults', 'approvers'])
  const isUnnamed = approvers.length === 0 && quorum.length === 0
  const named = isReview && isOpen && isUnnamed ? ['*'] : approvers
  put(open, map, 'message_template', question)
  put(open, map, 'approvers', isReview && named.length > 0 ? named : undefined)
  put(open, map, 'quorum', isReview && quorum.length > 0 ? quorum : undefined)
  put(open, map, 'decide_by', wish.decideBy)
  put(open, map, 'use_by', wish.useBy)
  put(open, map, 'remind_after', wish.remindAfter)
  put(open, map, 'reason', wish.reason)
}

function conditionOf(when: RuleWish['when']): unknown {
  // An alternative that tests nothing always holds, and so does the rule.
  if (when.some((group) => group.length === 0)) return undefined
  const groups = when.map(groupOf)
  return groups.length > 1 ? groups : groups[0]
}

function groupOf(clauses: readonly WishClause[]): object {
  const matchers = new Map<string, unknown>()
  for (const { path, op, value } of clauses) {
    const found = matchers.get(path)
    const isTaken = found !== undefined && (op === 'eq' || !isOperators(found) || op in found)
    if (isTaken) {
      throw wrong(`two conditions of one group test ${JSON.stringify(path)} alike`, 'Remove one.')
    }
    if (op === 'eq') matchers.set(path, value)
    else matchers.set(path, { ...(isOperators(found) ? found : {}), [op]: value })
  }
  return { args_match: Object.fromEntries(matchers) }
}

const isOperators = (matcher: unknown): matcher is object =>
  typeof matcher === 'object' && matcher !== null

function mapIn(map: YAMLMap, key: string): YAMLMap {
  const found = map.get(key, true)
  if (isMap(found)) return found as unknown as YAMLMap
  if (found !== undefined && !(isScalar(found) && found.value === null)) throw byHand()
  const made = new YAMLMap()
  map.set(key, made)
  return made
}

function seqIn(map: YAMLMap, key: string): YAMLSeq {
  const found = map.get(key, true)
  if (isSeq(found)) {
    // An entry in block style cannot stand in a list in brackets.
    if (found.items.length === 0) found.flow = false
    return found as unknown as YAMLSeq
  }
  if (found !== undefined && !(isScalar(found) && found.value === null)) throw byHand()
  const made = new YAMLSeq()
  map.set(key, made)
  return made
}

function itemWith(list: YAMLSeq, id: string): YAMLMap {
  const found = list.items.find((item) => isMap(item) && item.get('id') === id)
  if (isMap(found)) return found as unknown as YAMLMap
  const made = new YAMLMap()
  made.set('id', id)
  list.add(made)
  return made
}

/** A call that should get this verdict, for `tests`. One of the same name is replaced. */
export interface TestWish {
  readonly name: string
  readonly call: object
  readonly expect: string
}

export function withTests(text: string, tests: readonly TestWish[]): string {
  const open = openPolicy(text)
  const list = seqIn(open.root, 'tests')
  for (const test of tests) {
    const node = nodeOf(open, test)
    if (isMap(node)) {
      const call = node.get('call', true)
      if (isMap(call)) call.flow = true
    }
    const at = list.items.findIndex((item) => isMap(item) && item.get('name') === test.name)
    if (at === -1) list.add(node)
    else list.items[at] = node
  }
  const next = open.close()
  const names = new Set(tests.map(({ name }) => name))
  const others = (said: Record<string, unknown>) => ({
    ...said,
    tests: listOf(said.tests).filter((one) => !names.has(String(one.name))),
  })
  if (!isSame(others(plainOr(text)), others(plainPolicy(next)))) throw byHand()
  return next
}

/** Whatever the text holds: besides this rule it says what it said. */
function assertOnlyThat(before: string, after: string, subject: RuleSubject, wish: RuleWish): void {
  const rest = (text: string) => without(plainOr(text), subject, wish)
  if (!isSame(rest(before), rest(after))) throw byHand()
}

function plainOr(text: string): Record<string, unknown> {
  return plainPolicy(text.trim() === '' ? NEW_POLICY : text)
}

function without(
  said: Record<string, unknown>,
  { tool, server }: RuleSubject,
  { place, id }: RuleWish,
): unknown {
  if (place === 'extra') {
    return { ...said, governance: listOf(said.governance).filter((rule) => rule.id !== id) }
  }
  if (server === undefined) {
    const tools = Object.entries((said.tools ?? {}) as object)
    return { ...said, tools: tools.filter(([name]) => name !== tool), own: restOf(said, tool) }
  }
  const servers = listOf(said.mcp_servers).map((one) => {
    if (one.alias !== server) return one
    const allowed = Array.isArray(one.allowed_tools) ? (one.allowed_tools as unknown[]) : []
    return { ...one, allowed_tools: allowed.map((item) => restOfAllowed(item, tool)) }
  })
  return { ...said, mcp_servers: servers }
}

/** The tool's other keys. */
function restOf(said: Record<string, unknown>, tool: string): unknown {
  const tools = (said.tools ?? {}) as Record<string, unknown>
  const entry = Object.hasOwn(tools, tool) ? tools[tool] : undefined
  const { approval: _, humanInTheLoop: __, ...rest } = (entry ?? {}) as Record<string, unknown>
  return rest
}

function restOfAllowed(item: unknown, tool: string): unknown {
  if (item === tool) return { name: tool }
  const { approval: _, humanInTheLoop: __, ...rest } = (item ?? {}) as Record<string, unknown>
  return rest.name === tool ? rest : item
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : []
}

function wrong(message: string, hint: string): CountersignError {
  return new CountersignError('usage', message, { hint })
}
