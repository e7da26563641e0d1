import type { Answer } from './conditions.ts'
import type { Call, EvaluationInput, Level, Mode } from './documents.ts'
import { type Finding, fromApproval, fromWord, type Source } from './finding.ts'
import { governanceFindings } from './governance.ts'
import { question } from './message.ts'
import { ownerFindings } from './owner.ts'
import { type Requirement, requirementOf, type Terms, termsOf } from './requirements.ts'

export type Evaluation = {
  verdict: Level
  message: string
  missing: string[]
  reasons: { source: Source; rule: string; answer: Answer }[]
  requirements: Requirement[]
  terms?: Terms
}

const STRICTNESS: Level[] = ['allow', 'confirm', 'review', 'deny']

/**
 * What policy says about a call, worked out the slow and obvious way, on purpose apart from the
 * product: the two must agree on every policy and every call.
 */
export function naiveEvaluate(input: EvaluationInput, call: Call): Evaluation {
  const findings = [...answersUnderMode(input, call), ...governanceFindings(input, call)]
    .filter((finding) => finding.level !== 'allow')
    .sort(strictestFirst)

  const verdict = findings[0]?.level ?? 'allow'
  const reasons = findings.map(({ source, rule, answer }) => ({ source, rule, answer }))
  if (verdict === 'allow') {
    return { verdict, message: '', missing: [], reasons, requirements: [] }
  }
  if (verdict === 'deny') {
    const message = findings[0]?.denial ?? ''
    return { verdict, message, missing: [], reasons, requirements: [] }
  }
  return {
    verdict,
    ...question(findings, input, call),
    reasons,
    requirements: findings.map((finding) => requirementOf(finding, input.owner.defaults)),
    terms: termsOf(findings, input, call),
  }
}

function strictestFirst(one: Finding, other: Finding): number {
  const byLevel = STRICTNESS.indexOf(other.level) - STRICTNESS.indexOf(one.level)
  if (byLevel !== 0) return byLevel
  const byLayer = layer(one) - layer(other)
  if (byLayer !== 0) return byLayer
  if (one.rule === other.rule) return 0
  return one.rule < other.rule ? -1 : 1
}

function layer(finding: Finding): number {
  return finding.source === 'governance' ? 1 : 0
}

const DENIED = 'Tool execution denied by policy'

/** The owner's answer, or what the mode puts in its place. */
function answersUnderMode(input: EvaluationInput, call: Call): Finding[] {
  const mode: Mode = input.mode ?? { kind: 'annotated' }
  const custom = { source: 'mode' as const, rule: 'mode.custom' }

  if (mode.kind === 'allowAll') return []
  if (mode.kind === 'denyAll') {
    return [fromWord('deny', { source: 'mode', rule: 'mode.denyAll' }, DENIED)]
  }
  if (mode.kind === 'annotated') return ownerFindings(input, call)
  if (mode.answer === false) return []
  if (mode.answer !== true) return [fromWord(mode.answer, custom, DENIED)]

  const declared = ownerFindings(input, call)
  if (declared.some((finding) => finding.level !== 'allow')) return declared
  return [fromApproval(true, custom, call, input.owner.defaults)]
}
