/** What is chosen for each of the calls that are decided together. */

import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { whyNotWords } from '../../lib/approval/asked-words.ts'
import { t } from '../../lib/language/t.ts'

export type Choice = 'approve' | 'deny' | 'open'

/** Why a call of a batch cannot be approved here. It can still be denied, or left open. */
export function notHere(card: ApprovalCard): string | undefined {
  if (card.status !== 'pending') return t('No longer waiting.')
  if (!card.mine.may) return whyNotWords(card.mine)
  if (!card.can.includes('approve')) return t('You may deny this call, not approve it.')
  if (card.arguments === '') return t('Its arguments are no longer kept.')
  if (card.form !== undefined) return t('It has a form: fill it in on its own card.')
  if (card.risk === 'L4' || card.risk === 'L5') return t('High risk: approve it on its own card.')
  return undefined
}

/** Calls that would do the same as one before them, by the id of the later one. */
export function repeated(cards: readonly ApprovalCard[]): ReadonlySet<string> {
  const first = new Set<string>()
  return new Set(
    cards.flatMap(({ id, digest }) => {
      if (first.has(digest)) return [id]
      first.add(digest)
      return []
    }),
  )
}

/** The choice for a call left untouched: a yes only once everything was on the screen. */
export function presetOf(card: ApprovalCard, isRepeated: boolean, allSeen: boolean): Choice {
  if (notHere(card) !== undefined) return 'open'
  if (isRepeated) return 'deny'
  return allSeen ? 'approve' : 'open'
}

/** `Approve 4, deny 1` */
export function actionWords(choices: readonly Choice[]): string {
  const count = (choice: Choice) => choices.filter((one) => one === choice).length
  const yes = count('approve')
  const no = count('deny')
  const words = [
    ...(yes > 0 ? [t('Approve {yes}', { yes })] : []),
    ...(no > 0 ? [yes > 0 ? t('deny {no}', { no }) : t('Deny {no}', { no })] : []),
  ]
  const text = words.join(', ')
  return text === '' ? t('Nothing chosen') : text
}

/** `4 to approve, 1 to deny` */
export function choiceWords(choices: readonly Choice[]): string {
  const count = (choice: Choice, words: string) => {
    const found = choices.filter((one) => one === choice).length
    return found === 0 ? [] : [`${found} ${words}`]
  }
  return [
    ...count('approve', t('to approve')),
    ...count('deny', t('to deny')),
    ...count('open', t('left open')),
  ].join(', ')
}
