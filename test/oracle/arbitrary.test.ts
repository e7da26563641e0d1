import { expect, test } from 'vitest'
import { randomCall, randomPolicy } from './arbitrary.ts'
import type { Json, QuorumPlace } from './documents.ts'
import { naiveEvaluate } from './evaluate.ts'
import { Random } from './random.ts'
import { canBeFilled } from './random-approval.ts'

const LEVELS = ['allow', 'confirm', 'review', 'deny']

/** Every key and value met anywhere in a document, as `key` and `key=value`. */
function words(part: unknown, found: Set<string>): Set<string> {
  if (typeof part !== 'object' || part === null) return found
  for (const [key, value] of Object.entries(part)) {
    found.add(key)
    if (typeof value !== 'object') found.add(`${key}=${value}`)
    words(value, found)
  }
  return found
}

function quorumsIn(part: unknown): QuorumPlace[][] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'quorum' ? [value as QuorumPlace[]] : quorumsIn(value),
  )
}

test('the same seed makes the same policies and calls', () => {
  const draw = () => {
    const random = new Random(7)
    const policy = randomPolicy(random)
    return JSON.stringify([policy, randomCall(random, policy)])
  }
  expect(draw()).toBe(draw())
})

test('every key that matters occurs in a few hundred policies', () => {
  const random = new Random(1)
  const found = new Set<string>()
  for (let count = 0; count < 400; count++) words(randomPolicy(random), found)
  const expected = [
    'approval=true approval=false humanInTheLoop promptTemplate risk secrets condition args_match',
    'approvers quorum decide_by use_by wait_for remind_after escalate reason edit min_assurance grants',
    'message_template deny match server agent allowed_tools allowed_skills mcp_servers local_agents',
    'remote_agents gt gte lt lte ne in not_in pattern mode=REQUIRED mode=DISABLED kind=annotated',
    'kind=denyAll kind=allowAll kind=answered answer=true answer=false answer=deny answer=review',
    'grants=false edit=true edit=false claim undeclared=deny gateway=allow files files/query bank',
  ].flatMap((line) => line.split(' '))
  expect(expected.filter((word) => !found.has(word))).toEqual([])
})

test('calls meet the policies: all verdicts, sources and answers are common', () => {
  const random = new Random(2)
  const seen = new Map<string, number>()
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  for (let at = 0; at < 5000; at++) {
    const policy = randomPolicy(random)
    const { verdict, reasons, missing } = naiveEvaluate(policy, randomCall(random, policy))
    count(verdict)
    if (missing.length > 0) count('missing')
    for (const { source, answer } of reasons) {
      count(source)
      count(answer)
    }
  }
  const rare = ['allow confirm review deny missing tool server operator governance default risk']
    .concat('mode yes unknown')
    .flatMap((line) => line.split(' '))
    .filter((what) => (seen.get(what) ?? 0) < 30)
  expect(rare).toEqual([])
})

test('documents and calls hold nothing that JSON would lose or the grammar refuses', () => {
  const random = new Random(3)
  const check = (part: Json | undefined, inDocument: boolean): void => {
    expect(part).not.toBe(undefined)
    if (inDocument) expect(part).not.toBe(null)
    if (typeof part === 'number' && Number.isInteger(part))
      expect(part).toSatisfy(Number.isSafeInteger)
    if (typeof part === 'number') expect(part).toSatisfy(Number.isFinite)
    if (typeof part === 'string') expect(part.isWellFormed()).toBe(true)
    if (typeof part !== 'object' || part === null) return
    for (const value of Object.values(part)) check(value, inDocument)
  }
  for (let at = 0; at < 150; at++) {
    const policy = randomPolicy(random)
    check(policy as unknown as Json, true)
    for (let calls = 0; calls < 10; calls++) {
      check(randomCall(random, policy) as unknown as Json, false)
    }
  }
})

test('ids are unique, and every quorum can be filled by different people', () => {
  const random = new Random(4)
  for (let at = 0; at < 500; at++) {
    const { owner, governance } = randomPolicy(random)
    const rules = [owner, ...governance].flatMap((document) => document.governance ?? [])
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
    for (const document of [owner, ...governance]) {
      const people = document.people ?? { groups: {} }
      const quorums = quorumsIn(document)
      expect(quorums.filter((quorum) => !canBeFilled(quorum, people))).toEqual([])
    }
  }
})

test('governance only tightens, and its order never matters', () => {
  const random = new Random(5)
  for (let at = 0; at < 3000; at++) {
    const policy = randomPolicy(random)
    const call = randomCall(random, policy)
    const whole = naiveEvaluate(policy, call)
    const without = naiveEvaluate({ ...policy, governance: [] }, call)
    expect(LEVELS.indexOf(whole.verdict)).toBeGreaterThanOrEqual(LEVELS.indexOf(without.verdict))
    const turned = policy.governance.toReversed().map((document) => ({
      ...document,
      governance: document.governance.toReversed(),
    }))
    expect(naiveEvaluate({ ...policy, governance: turned }, call)).toEqual(whole)
  }
})
