import { allOf, conditionAnswer } from './conditions.ts'
import type { Call, Defaults, EvaluationInput, GovernanceRule, Match } from './documents.ts'
import { askingLevel, type Finding } from './finding.ts'
import { knownRisk, riskMatches } from './risk.ts'

/** Everything governance says: the files from outside, then the list in the owner's own file. */
export function governanceFindings(input: EvaluationInput, call: Call): Finding[] {
  const outside = input.governance.flatMap((document) => document.governance)
  const own = input.owner.governance ?? []
  return [
    ...outside.flatMap((rule) => ruleFinding(rule, input, call, undefined)),
    ...own.flatMap((rule) => ruleFinding(rule, input, call, input.owner.defaults ?? {})),
  ]
}

// `defaults` is given for rules of the owner's own file only: files from outside have none.
function ruleFinding(
  rule: GovernanceRule,
  input: EvaluationInput,
  call: Call,
  defaults: Defaults | undefined,
): Finding[] {
  if (rule.match !== undefined && !matches(rule.match, input, call)) return []

  const declared = typeof rule.approval === 'object' ? rule.approval : {}
  const answer = allOf([
    conditionAnswer(rule.condition, call).answer,
    conditionAnswer(declared.condition, call).answer,
  ])
  if (answer === 'no') return []

  const finding: Finding = {
    source: 'governance',
    rule: `governance.${rule.id}`,
    level: rule.deny !== undefined ? 'deny' : askingLevel(declared, defaults),
    answer,
    owners: defaults !== undefined,
    declared,
  }
  if (rule.deny !== undefined) finding.denial = rule.deny
  if (declared.message_template !== undefined) {
    finding.template = { text: declared.message_template, spelling: 'message_template' }
  }
  return [finding]
}

function matches(match: Match, input: EvaluationInput, call: Call): boolean {
  if (match.tool !== undefined && !globMatches(match.tool, call.tool)) return false
  if (match.server !== undefined && !globMatches(match.server, call.server ?? '')) return false
  if (match.agent !== undefined && !globMatches(match.agent, agentAlias(call) ?? '')) return false
  if (match.risk === undefined) return true
  // A claim only adds: a rule that fits the call without its claim fits it with any claim.
  const { risk: _, ...silent } = call
  return [silent, call].some((one) => riskMatches(match.risk ?? {}, knownRisk(input, one)))
}

/** The alias of the agent that makes the call. */
export function agentAlias(call: Call): string | undefined {
  return typeof call.agent === 'string' ? call.agent : call.agent?.alias
}

/** `*` is any text, the empty one too; everything else is itself. */
export function globMatches(glob: string, text: string): boolean {
  if (glob === '') return text === ''
  if (glob.startsWith('*')) {
    if (globMatches(glob.slice(1), text)) return true
    return text !== '' && globMatches(glob, text.slice(1))
  }
  return (
    text !== '' && glob.charAt(0) === text.charAt(0) && globMatches(glob.slice(1), text.slice(1))
  )
}
