import type { Level } from '../../src/policy/evaluate/verdict.ts'
import type { Args, GovernanceEntry, Group, HandWritten } from './work.ts'

/** One rule in three spellings: as the file has it, whom it concerns, and by hand. */
export interface GovernedByHand {
  readonly entry: GovernanceEntry
  readonly concerns: (tool: string) => boolean
  readonly level: Level
  readonly hand: HandWritten
}

const when = (args_match: Group['args_match']): Group => ({ args_match })

function denies(
  tool: string,
  concerns: (tool: string) => boolean,
  condition: Group,
  holds: (args: Args) => boolean,
): Omit<GovernedByHand, 'entry'> & { entry: Omit<GovernanceEntry, 'id'> } {
  return {
    entry: { match: { tool }, condition, deny: 'The platform team does this' },
    concerns,
    level: 3,
    hand: (args) => (holds(args) ? 3 : 0),
  }
}

function asks(
  tool: string,
  concerns: (tool: string) => boolean,
  condition: Group,
  holds: (args: Args) => boolean,
): Omit<GovernedByHand, 'entry'> & { entry: Omit<GovernanceEntry, 'id'> } {
  return {
    entry: { match: { tool }, condition, approval: { approvers: ['*'] } },
    concerns,
    level: 2,
    hand: (args) => (holds(args) ? 2 : 0),
  }
}

/** `holds`: true, or not known to be false. */
const above = (value: unknown, limit: number): boolean =>
  !(typeof value === 'number' && value <= limit)
const is = (value: unknown, text: string): boolean => !(typeof value === 'string' && value !== text)

const everyTool = () => true

/** Two for every tool, two for each of four verbs, two for each of fifteen areas. */
const RULES = [
  asks('*', everyTool, when({ amount: { gt: 100_000 } }), (a) => above(a.amount, 100_000)),
  denies(
    '*',
    everyTool,
    when({ environment: 'production', region: { in: ['cn', 'ru'] } }),
    (a) =>
      is(a.environment, 'production') &&
      !(typeof a.region === 'string' && a.region !== 'cn' && a.region !== 'ru'),
  ),
  ...['delete', 'move', 'run', 'grant'].flatMap((verb) => [
    denies(
      `*.${verb}_*`,
      (tool) => tool.includes(`.${verb}_`),
      when({ environment: 'production', amount: { gte: 1_100 } }),
      (a) => is(a.environment, 'production') && !(typeof a.amount === 'number' && a.amount < 1_100),
    ),
    asks(
      `*.${verb}_legacy`,
      (tool) => tool.endsWith(`.${verb}_legacy`),
      when({ environment: { ne: 'dev' }, region: { not_in: ['eu', 'us'] } }),
      (a) => a.environment !== 'dev' && !(a.region === 'eu' || a.region === 'us'),
    ),
  ]),
  ...['billing', 'payroll', 'vault', 'iam', 'hr', 'orders', 'deploy', 'data'].flatMap((area, i) => [
    asks(
      `${area}.*`,
      (tool) => tool.startsWith(`${area}.`),
      when({ amount: { gt: 2_000 + 100 * i }, region: { ne: 'eu' } }),
      (a) => above(a.amount, 2_000 + 100 * i) && a.region !== 'eu',
    ),
    denies(
      `${area}.*`,
      (tool) => tool.startsWith(`${area}.`),
      when({ region: 'ap', environment: 'production' }),
      (a) => is(a.region, 'ap') && is(a.environment, 'production'),
    ),
  ]),
  ...['crm', 'mail', 'files', 'network', 'build', 'support', 'chat'].flatMap((area, i) => [
    asks(
      `${area}.*_many`,
      (tool) => tool.startsWith(`${area}.`) && tool.endsWith('_many'),
      when({ amount: { gt: 500 + 50 * i } }),
      (a) => above(a.amount, 500 + 50 * i),
    ),
    asks(
      `${area}.*`,
      (tool) => tool.startsWith(`${area}.`),
      when({ environment: { pattern: '^prod' }, amount: { gt: 1_000 } }),
      (a) =>
        !(typeof a.environment === 'string' && !a.environment.startsWith('prod')) &&
        above(a.amount, 1_000),
    ),
  ]),
]

export const GOVERNANCE: readonly GovernedByHand[] = RULES.map((rule, index) => ({
  ...rule,
  entry: { id: `rule-${index + 1}`, ...rule.entry },
}))
