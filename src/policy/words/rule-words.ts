import type { Ask, Declaration, Defaults, GovernanceRule, RiskMatch } from '../document.ts'
import { askLevel } from '../evaluate/declared.ts'
import { conditionWords } from './condition-words.ts'
import { escalationWords, peopleWords } from './people-words.ts'
import { nameWords } from './quoted-words.ts'
import { termsWords } from './terms-words.ts'

/** `asks when amount is over 10,000, or recipient_type is "external"`. */
export function declarationWords(declaration: Declaration | undefined): string | undefined {
  if (!declaration) return undefined
  if (declaration.asks === 'never') return 'never asks'
  const when = conditionWords(declaration.condition)
  return when === '' ? 'always asks' : `asks when ${when}`
}

/**
 * What a governance rule looks at: `delete_* at risk L3 and up, or not rated when env is "live"`. It
 * also holds where the policy gives no risk.
 */
export function governanceWords(rule: GovernanceRule): string {
  const { tool, server, agent, risk, condition, then } = rule
  const conditions = [condition, ...('ask' in then ? [then.ask.condition] : [])].map(conditionWords)
  const said = conditions.filter((words) => words !== '')
  // Two lists of alternatives in a row would read as one, and so as another rule.
  const when = said.length > 1 ? said.map((words) => `(${words})`).join(' and ') : (said[0] ?? '')
  return [
    tool && tool.text !== '*' ? tool.text : 'every call',
    ...(server ? [`on ${nameWords(server.text)}`] : []),
    ...(agent ? [`by ${nameWords(agent.text)}`] : []),
    ...(risk ? [`at risk ${risk.map(riskWords).join(' and ')}, or not rated`] : []),
    ...(when === '' ? [] : [`when ${when}`]),
  ].join(' ')
}

/** Who decides, how many, how long and on what terms: one sentence for each thing the rule says. */
export function askDetails(ask: Ask, defaults: Defaults): string[] {
  const { approvers, quorum = [], escalate = [], template } = ask
  const level = askLevel(ask, defaults) === 2 ? 'review' : 'confirm'
  const inherits = level === 'review' && quorum.length === 0
  const named = approvers ?? (inherits ? defaults.approvers : undefined) ?? []
  return [
    ...[peopleWords({ level, approvers: named, quorum }), ...escalate.map(escalationWords)].map(
      (sentence) => sentence.replace(/\.$/, ''),
    ),
    ...termsWords(ask),
    ...(template ? [`Asks: ${JSON.stringify(template.text)}`] : []),
  ]
}

/** The same for a governance rule; of one that denies, what the agent is told. */
export function governanceDetails({ then }: GovernanceRule, defaults: Defaults): string[] {
  return 'deny' in then
    ? [`The agent is told: ${JSON.stringify(then.deny)}`]
    : askDetails(then.ask, defaults)
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

export function riskWords({ op, risks }: RiskMatch): string {
  return RISK_WORDS[op](risks.join(', '))
}
