import type { Declaration, GovernanceRule, RiskMatch } from '../../policy/document.ts'
import type { Clause, Condition } from '../../policy/evaluate/condition.ts'
import { matcherWords } from '../../policy/evaluate/matcher-words.ts'

/** `asks when amount is over 1000, or recipient_type is "external"`. */
export function declarationWords(declaration: Declaration | undefined): string | undefined {
  if (!declaration) return undefined
  if (declaration.asks === 'never') return 'never asks'
  const when = conditionWords(declaration.condition)
  return when === '' ? 'always asks' : `asks when ${when}`
}

/** What a governance rule looks at: `delete_* at risk L3 and up, when environment is "production"`. */
export function governanceWords(rule: GovernanceRule): string {
  const { tool, server, agent, risk, condition, then } = rule
  const conditions = [condition, ...('ask' in then ? [then.ask.condition] : [])].map(conditionWords)
  const when = conditions.filter((words) => words !== '').join(', and ')
  return [
    tool ? tool.text : 'every call',
    ...(server ? [`on ${server.text}`] : []),
    ...(agent ? [`by ${agent.text}`] : []),
    ...(risk ?? []).map((match) => `at risk ${riskWords(match)}`),
    ...(when === '' ? [] : [`when ${when}`]),
  ].join(' ')
}

function conditionWords({ form, groups }: Condition): string {
  if (form === 'always') return ''
  const words = groups.map((group) => group.map(clauseWords).join(' and '))
  // A group without clauses always holds, and so does the whole list.
  return words.includes('') ? '' : words.join(', or ')
}

function clauseWords({ path, matcher }: Clause): string {
  return `${path.text} ${matcherWords(matcher)}`
}

const RISK_WORDS: Readonly<Record<RiskMatch['op'], (risks: string) => string>> = {
  eq: (risk) => risk,
  ne: (risk) => `other than ${risk}`,
  gt: (risk) => `above ${risk}`,
  gte: (risk) => `${risk} and up`,
  lt: (risk) => `below ${risk}`,
  lte: (risk) => `up to ${risk}`,
  in: (risks) => `one of ${risks}`,
  not_in: (risks) => `none of ${risks}`,
}

function riskWords({ op, risks }: RiskMatch): string {
  return RISK_WORDS[op](risks.join(', '))
}
