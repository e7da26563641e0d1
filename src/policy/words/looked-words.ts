import type { Looked } from '../evaluate/judge.ts'
import type { Source } from '../evaluate/verdict.ts'
import type { Rules } from '../policy.ts'
import { declarationWords, governanceWords } from './rule-words.ts'

/**
 * A rule that was looked at, as the page about the policy says it: `asks when amount is over 10,000`.
 * Only the policy's own words: what the call held stands beside it, never in it.
 */
export function lookedWords(looked: Looked, policy: Pick<Rules, 'governance'>): string {
  const { layer, rule, place, ask, level, source } = looked
  if (layer === 'governance') {
    const found = policy.governance.find(
      (one) => one.rule.rule === rule && one.rule.place === place,
    )
    if (!found) return ''
    const verb = 'deny' in found.rule.then ? 'denies' : 'asks about'
    return `${verb} ${governanceWords(found.rule)}`
  }
  // What no file declares always answers the same.
  if (place === undefined) {
    if (level === 0) return 'does not ask'
    return level === 3 ? FIXED_WORDS[source].replace('asks', 'denies') : FIXED_WORDS[source]
  }
  return declarationWords(ask ?? { asks: 'never', rule, place }) ?? ''
}

const FIXED_WORDS: Readonly<Record<Source, string>> = {
  tool: 'always asks',
  server: 'always asks',
  operator: 'asks because an operator switched it on',
  governance: 'always asks',
  default: 'asks because no rule names it',
  risk: 'asks because of its risk',
  mode: 'asks because of the mode the gate runs in',
  quarantine: 'asks because its definition changed',
  pdp: 'denies because the decision point of the policy did',
}
