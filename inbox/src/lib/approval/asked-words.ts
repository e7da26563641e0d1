/** What the server says of rules and people: in English as it says it, else in the page's language. */
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import type { WhyAsked } from '../../../../src/api/words/why-asked.ts'
import { foreignWords, language } from '../language/language.ts'
import { tell } from '../language/t.ts'

type Value = WhyAsked['values'][number]

export function testsWords({ tests, wanted, words = wanted }: Value): string {
  const foreign = foreignWords()
  if (foreign === undefined || tests === undefined) return words
  return foreign.testsWords(tests, tell, language())
}

export const ruleWords = (says = 'always asks'): string =>
  foreignWords()?.ruleWords(says, tell) ?? says

export const approverWords = (approver: string): string =>
  foreignWords()?.approverWords(approver, tell) ?? approver

export const whyNotWords = ({
  why,
  because,
}: Extract<ApprovalRow['mine'], { may: false }>): string =>
  foreignWords()?.whyNotWords(because, tell) ?? why
