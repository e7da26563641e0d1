import type { Asks, Verdict } from '../evaluate/verdict.ts'
import { escalationWords, peopleWords } from './people-words.ts'
import { termsWords } from './terms-words.ts'

/** Who must decide and on what terms, as sentences for people. Empty when no approval is needed. */
export interface InWords {
  readonly who: readonly string[]
  readonly terms: readonly string[]
}

export function inWords(verdict: Verdict): InWords {
  if (verdict.verdict === 'allow' || verdict.verdict === 'deny') return { who: [], terms: [] }
  return { who: whoDecides(verdict), terms: termsInWords(verdict) }
}

function whoDecides({ requirements, verdict }: Asks): string[] {
  const sentences = requirements.flatMap((one) => [
    peopleWords(one),
    ...one.escalate.map(escalationWords),
  ])
  const unique = [...new Set(sentences)]
  if (verdict === 'confirm') return unique
  return [...unique, 'Never the requester, the agent or the person it works for.']
}

/** Of what holds for every approval unless a rule says otherwise, nothing is said. */
function termsInWords({ terms, leavesUseBy, rememberNo }: Asks): string[] {
  const { decideBy, useBy, minAssurance, reason, edit, grants, ...rest } = terms
  const [decide = '', use = ''] = termsWords({ decideBy, useBy })
  return [
    decide,
    `${use}${leavesUseBy ? ', or 24 h in a suspended run' : ''}`,
    ...termsWords({
      ...rest,
      rememberNo,
      ...(minAssurance === 'elicitation' ? {} : { minAssurance }),
      ...(reason === 'optional' ? {} : { reason }),
      ...(edit === true ? {} : { edit }),
      ...(grants ? {} : { grants }),
    }),
  ]
}
