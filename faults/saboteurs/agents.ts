import type { Saboteur } from './saboteur.ts'

const verdicts = { tests: ['test/promises/countersign-verdicts.test.ts'] } as const
const declared = { tests: ['test/server/declared.test.ts'] } as const

/** What a remote agent could gain by what it says of itself, its calls and its user. */
export const AGENT_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a claimed risk rates an unrated tool',
    file: 'src/policy/judge.ts',
    before: 'riskMatches(rule.risk, rated, call.risk)',
    after: 'riskMatches(rule.risk, higherRisk(rated, call.risk))',
    caughtBy: verdicts,
  },
  {
    name: 'the fast path lets a higher claim escape a rule',
    file: 'src/policy/quick.ts',
    before: `risk && !riskMatches(risk, rated)
        ? RISKS.filter((claimed) => !riskMatches(risk, rated, claimed))`,
    after: 'risk ? RISKS.filter((claimed) => !riskMatches(risk, claimed))',
    caughtBy: verdicts,
  },
  {
    name: 'a remote agent words the question',
    file: 'src/policy/judge.ts',
    before: "worded: 'agent' }]",
    after: '}]',
    caughtBy: declared,
  },
  {
    name: 'the declaration of a remote agent replaces the rules of the policy',
    file: 'src/policy/judge.ts',
    before: '...judgeOwner(policy, call, mode),',
    after: '...(agents ? [] : judgeOwner(policy, call, mode)),',
    caughtBy: declared,
  },
]
