import { type ReadAnswer, readAnswer } from '../api/form/form-answers.ts'
import type { FormChoice, FormField } from '../api/form/form-fields.ts'

/** What a person typed in a terminal, as the text of a field. */
export function inputText(field: FormField, written: string): string {
  switch (field.kind) {
    case 'choice':
      return chosenText(field, written.trim()) ?? written
    case 'choices':
      return `[${written
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
        .map((one) => chosenText(field, one) ?? JSON.stringify(one))
        .join(',')}]`
    default:
      return written
  }
}

export function readInput(field: FormField, written: string): ReadAnswer {
  const text = inputText(field, written)
  if (field.kind === 'choices') {
    const known = new Set(field.choices.map(({ value }) => JSON.stringify(value)))
    const strange = (JSON.parse(text) as unknown[]).some((one) => !known.has(JSON.stringify(one)))
    if (strange) return { ok: false, why: `Choose from ${choiceWords(field)}.` }
  }
  const read = readAnswer(field, text)
  return read.ok || field.kind !== 'choice'
    ? read
    : { ok: false, why: `Choose one of ${choiceWords(field)}.` }
}

/** `1 Main account, 2 Savings`: by number, unless the values are numbers themselves. */
export function choiceWords({ choices }: FormField): string {
  return choices
    .map((one, at) => (isNumbered(choices) ? `${at + 1} ${one.label}` : writtenOf(one)))
    .join(', ')
}

/** A number would say two things where what is chosen are numbers. */
function isNumbered(choices: readonly FormChoice[]): boolean {
  return !choices.some((one) => /^\d+$/.test(writtenOf(one)) || /^\d+$/.test(one.label))
}

function writtenOf({ value }: FormChoice): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function chosenText({ choices }: FormField, written: string): string | undefined {
  const byNumber =
    isNumbered(choices) && /^\d{1,3}$/.test(written) ? choices[Number(written) - 1] : undefined
  const chosen =
    byNumber ??
    choices.find((one) => writtenOf(one) === written) ??
    choices.find(({ label }) => label.toLowerCase() === written.toLowerCase())
  return chosen && JSON.stringify(chosen.value)
}
