import { midSentence, say, t } from '../../lib/language/t.ts'
import { ASKED, type ListView } from './list-view.ts'

interface FilterWord {
  readonly text: string
  /** It comes from a call: shown apart from our words. */
  readonly isValue?: true
}

/** The choices that leave calls out, apart from whose they are; for the line that says so. */
export function filterWords(view: ListView): readonly FilterWord[] {
  const values = [view.agent, view.tool, view.person].filter((name) => name !== '')
  return [
    ...(view.from > 0 ? [{ text: t('L{from} and up', { from: view.from }) }] : []),
    ...[...new Set(values)].map((text): FilterWord => ({ text, isValue: true })),
    ...(view.asked === 'any' ? [] : [{ text: midSentence(say(ASKED[view.asked].name)) }]),
  ]
}
