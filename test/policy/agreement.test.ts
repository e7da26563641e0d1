import { expect } from 'vitest'
import type { Approver } from '../../src/base/oversight.ts'
import { readCall } from '../../src/policy/call.ts'
import type { PolicyDocument, ToolEntry } from '../../src/policy/document.ts'
import { evaluate, verdictWord } from '../../src/policy/evaluate/evaluate.ts'
import { LEVELS, type Verdict } from '../../src/policy/evaluate/verdict.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadDeclaration, loadGovernance, loadOwner } from '../../src/policy/load/load.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { explain } from '../../src/policy/tooling/explain.ts'
import { type RandomPolicy, randomCall, randomPolicy } from '../oracle/arbitrary.ts'
import type { Call, GovernanceDocument } from '../oracle/documents.ts'
import { milliseconds } from '../oracle/duration.ts'
import { type Evaluation, naiveEvaluate } from '../oracle/evaluate.ts'
import { Random } from '../oracle/random.ts'
import { randomGovernance } from '../oracle/random-documents.ts'
import { promise } from '../support/promise.ts'
import { volume } from '../support/volume.ts'

/*
 * The product and an independent evaluator, side by side on random policies. A failure prints its
 * seed; put it into SEEDS to replay it.
 */
const POLICIES = volume(400, 20_000)
/** Of the tests that compare the product with itself. */
const PAIRS = volume(125, 5_000)
const CALLS = 100

function loaded(load: () => ReturnType<typeof loadOwner>, what: unknown): PolicyDocument {
  const result = load()
  if (result.ok) return result.document
  throw new Error(`${JSON.stringify(what)}\n${JSON.stringify(result.mistakes, null, 2)}`)
}

function outside(document: GovernanceDocument, index: number): PolicyDocument {
  const file = `governance-${index}.yaml`
  return loaded(() => loadGovernance({ file, text: JSON.stringify(document) }), document)
}

function build(random: RandomPolicy, governance = random.governance): Policy {
  const { owner, code = {}, switches = {} } = random
  const entries = Object.entries(code).map(([tool, entry]): [string, ToolEntry] => {
    const read = loadDeclaration(`code.${tool}`, entry)
    if (read.ok) return [tool, read.entry]
    throw new Error(`${JSON.stringify(entry)}\n${JSON.stringify(read.mistakes)}`)
  })
  return combinePolicy({
    owner: loaded(
      () => loadOwner({ file: 'countersign.yaml', text: JSON.stringify(owner) }),
      owner,
    ),
    governance: governance.map(outside),
    code: new Map(entries),
    switches: new Map(Object.entries(switches)),
  })
}

/** The product's verdict in the words of the other evaluator. */
function plain(verdict: Verdict): unknown {
  const { message, missing, reasons } = verdict
  const common = { message, missing: [...missing], reasons: [...reasons] }
  if (verdict.verdict === 'allow' || verdict.verdict === 'deny') {
    return { verdict: verdict.verdict, ...common, requirements: [] }
  }
  const { edit } = verdict.terms
  return {
    verdict: verdict.verdict,
    ...common,
    requirements: verdict.requirements.map((requirement) => ({
      ...requirement,
      approvers: requirement.approvers.map(written),
      quorum: [...requirement.quorum],
      escalate: requirement.escalate.map(({ after, to }) => ({
        after: `${after}`,
        to: written(to),
      })),
    })),
    terms: {
      ...verdict.terms,
      edit: typeof edit === 'boolean' ? edit : edit.map(({ text }) => text),
    },
  }
}

function written(approver: Approver) {
  return approver !== '*' && 'email' in approver ? approver.email : approver
}

function inMilliseconds(evaluation: Evaluation): Evaluation {
  return {
    ...evaluation,
    requirements: evaluation.requirements.map((requirement) => ({
      ...requirement,
      escalate: requirement.escalate.map(({ after, to }) => ({
        after: `${milliseconds(after)}`,
        to,
      })),
    })),
  }
}

promise(
  ['CS-POLICY-1'],
  'agrees with an evaluator that was written apart',
  () => {
    for (let seed = 1; seed <= POLICIES; seed++) {
      const random = new Random(seed)
      const parts = randomPolicy(random)
      const policy = build(parts)
      for (let index = 0; index < CALLS; index++) {
        const call = randomCall(random, parts)
        check(policy, parts, call, `seed ${seed}, call ${index}: ${JSON.stringify(call)}`)
      }
    }
  },
  3_600_000,
)

function check(policy: Policy, parts: RandomPolicy, asked: Call, where: string): void {
  const call = readCall(asked)
  const expected = inMilliseconds(naiveEvaluate(parts, asked))
  const verdict = evaluate(policy, call, parts.mode)
  // Comparing texts first: an assertion on objects is too slow for this many.
  const [mine, theirs] = [sorted(plain(verdict)), sorted(expected)]
  if (mine !== theirs) expect(plain(verdict), where).toEqual(expected)
  if (verdictWord(policy, call, parts.mode) !== expected.verdict) {
    expect(verdictWord(policy, call, parts.mode), where).toBe(expected.verdict)
  }
  if (explain(policy, call, parts.mode).verdict.verdict !== expected.verdict) {
    expect(explain(policy, call, parts.mode).verdict, where).toEqual(verdict)
  }
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

promise(
  ['AF-46'],
  'adding a governance rule never loosens a verdict',
  () => {
    for (let seed = 1; seed <= PAIRS; seed++) {
      const random = new Random(seed)
      const parts = randomPolicy(random)
      const added = randomGovernance(random, 90, { used: 10_000 })
      const before = build(parts)
      const after = build(parts, [...parts.governance, added])
      for (let index = 0; index < 40; index++) {
        const call = readCall(randomCall(random, parts))
        const [was, is] = [before, after].map((policy) => verdictWord(policy, call, parts.mode))
        const loosened = LEVELS[is ?? 'allow'] < LEVELS[was ?? 'deny']
        if (loosened) expect.fail(`seed ${seed}: ${was} became ${is} for ${JSON.stringify(call)}`)
      }
    }
  },
  3_600_000,
)

promise(
  ['CS-POLICY-2'],
  'the order of rules and files never matters',
  () => {
    for (let seed = 1; seed <= PAIRS; seed++) {
      const random = new Random(seed)
      const parts = randomPolicy(random)
      const turned = build(reversed(parts))
      const policy = build(parts)
      for (let index = 0; index < 40; index++) {
        const call = readCall(randomCall(random, parts))
        const [one, other] = [policy, turned].map((each) => evaluate(each, call, parts.mode))
        if (sorted(one) !== sorted(other)) expect(other, `seed ${seed}`).toEqual(one)
      }
    }
  },
  3_600_000,
)

/** Everything that is a set by nature, written the other way round. */
function reversed(parts: RandomPolicy): RandomPolicy {
  const turn = <T>(list: readonly T[]): T[] => [...list].reverse()
  const { owner } = parts
  return {
    ...parts,
    owner: {
      ...owner,
      ...(owner.governance ? { governance: turn(owner.governance) } : {}),
      ...(owner.mcp_servers ? { mcp_servers: turn(owner.mcp_servers) } : {}),
      ...(owner.tools ? { tools: Object.fromEntries(turn(Object.entries(owner.tools))) } : {}),
    },
    governance: turn(parts.governance).map((file) => ({
      ...file,
      governance: turn(file.governance),
    })),
  }
}
