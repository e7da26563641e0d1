import { type RefObject, useEffect, useRef, useState } from 'react'
import type { ApprovalCard, WireDecision } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { fillForm, type Typed, textOf, typedFrom } from '../../../../src/api/form/form-answers.ts'
import { type FormField, fieldName, formFields } from '../../../../src/api/form/form-fields.ts'
import { isSame } from '../../components/person.tsx'
import { samePath } from '../../lib/arguments/values.ts'
import { t, tell } from '../../lib/language/t.ts'
import type { Draft } from './drafts.ts'
import type { Deciding } from './use-decide.ts'

/** The form of a card while it is filled in. */
export interface Filling {
  readonly fields: readonly FormField[]
  readonly box: RefObject<HTMLElement | null>
  readonly idOf: (field: FormField) => string
  readonly textOf: (field: FormField) => string
  readonly whyOf: (field: FormField) => string | undefined
  /** Mistakes that belong to no field. */
  readonly others: readonly string[]
  /** An earlier approver's answers, which stand in the fields. */
  readonly before: WireDecision | undefined
  /** These answers would make that approval void. */
  readonly differs: boolean
  readonly set: (field: FormField, text: string) => void
  /** What to send. Undefined: the first field that needs the person has the focus now. */
  readonly take: () => { readonly payload: unknown } | undefined
}

interface Parts {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
  readonly draft: Draft
  readonly onDraft: (change: Partial<Draft>) => void
  readonly deciding: Deciding
}

/** Undefined where the call has no form, or the reader does not approve it. */
export function useAnswers({ card, me, draft, onDraft, deciding }: Parts): Filling | undefined {
  const [isChecked, setChecked] = useState(false)
  const box = useRef<HTMLElement>(null)
  const wasShown = useWasShown(box)
  if (card.form === undefined || !card.can.includes('approve')) return undefined
  const fields = formFields(card.form, tell)
  const before = card.decisions.findLast(
    ({ by, verdict, void: isVoid, digest, payload }) =>
      verdict === 'approve' &&
      !isVoid &&
      digest === card.digest &&
      payload !== undefined &&
      !isSame(by, me),
  )
  const standing: Typed = before === undefined ? {} : typedFrom(fields, before.payload)
  const typed: Typed = { ...standing, ...draft.answers }
  const { payload, wrong } = fillForm(fields, typed, tell)
  const idOf = (field: FormField) => `form-${card.id}-${fields.indexOf(field)}`
  const mistakes = deciding.mistakes ?? []
  const isOf = ({ keys }: FormField, at: readonly string[]) =>
    keys.length <= at.length && samePath(keys, at.slice(0, keys.length))
  const whyOf = (field: FormField) => {
    const own = wrong.find(({ keys }) => samePath(keys, field.keys))?.why
    // What is missing is told when it is sent; what was typed wrongly, at once.
    const isTyped = Object.hasOwn(draft.answers, fieldName(field)) && textOf(field, typed) !== ''
    if (own !== undefined) return isChecked || isTyped ? own : undefined
    const refused = field.keys.length > 0 && mistakes.find(({ at }) => isOf(field, at))
    return refused ? sentence(refused.problem) : undefined
  }
  const isElsewhere = (at: readonly string[]) =>
    !fields.some((field) => field.keys.length > 0 && isOf(field, at))
  return {
    fields,
    box,
    idOf,
    textOf: (field) => textOf(field, typed),
    whyOf,
    others: mistakes
      .filter(({ at }) => isElsewhere(at))
      .map(({ at, problem }) => `${at.join('.') || t('The answers')} ${problem}`),
    before,
    differs: before !== undefined && !isEqual(payload, before.payload, fields),
    set(field, text) {
      deciding.clear()
      onDraft({ answers: { ...typed, ...draft.answers, [fieldName(field)]: text } })
    },
    take() {
      setChecked(true)
      const first = fields.find((field) => wrong.some(({ keys }) => samePath(keys, field.keys)))
      if (first) {
        const control = document.getElementById(idOf(first))
        control?.focus({ preventScroll: true })
        // With its label and what is wrong with it.
        control?.closest('[data-field]')?.scrollIntoView({ block: 'nearest' })
        return undefined
      }
      if (wasShown()) return { payload }
      box.current?.scrollIntoView({ block: 'start' })
      return undefined
    },
  }
}

/** A secret is masked in what others answered, so nothing can be said of it. */
function isEqual(mine: unknown, other: unknown, fields: readonly FormField[]): boolean {
  return fields
    .filter(({ kind }) => kind !== 'secret')
    .every((field) => {
      const [one, two] = [mine, other].map((value) => textOf(field, typedFrom([field], value)))
      return one === two
    })
}

function sentence(problem: string): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
}

/** Whether its beginning was on the screen: an answer is to a form that was seen. */
function useWasShown(box: RefObject<HTMLElement | null>): () => boolean {
  const shown = useRef(false)
  useEffect(() => {
    const element = box.current
    if (element === null || shown.current) return
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      shown.current = true
      observer.disconnect()
    })
    observer.observe(element)
    return () => observer.disconnect()
  })
  return () => shown.current
}
