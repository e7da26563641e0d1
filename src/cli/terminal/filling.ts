import type { ApprovalCard } from '../../api/approval.ts'
import { fillForm, type Typed, textOf, typedFrom } from '../../api/form/form-answers.ts'
import { type FormField, fieldName, formFields } from '../../api/form/form-fields.ts'
import { choiceWords, inputText, readInput } from '../form-input.ts'
import { printable } from '../print/printable.ts'
import { setName } from '../print/show-form.ts'

/** A form on its way from field to field. */
export interface Filling {
  readonly fields: readonly FormField[]
  readonly at: number
  readonly typed: Typed
  readonly problem: string
}

/** The next field with what stands in it already; `isOver`: all were answered. */
interface Step {
  readonly filling: Filling
  readonly text: string
  readonly isOver?: boolean
}

/** Begins with what another approver answered, so that agreeing is not typing it again. */
export function startFilling(card: ApprovalCard): Step | undefined {
  if (card.form === undefined) return undefined
  const fields = formFields(card.form)
  const before = card.decisions.findLast(
    ({ verdict, void: isVoid, digest }) =>
      verdict === 'approve' && !isVoid && digest === card.digest,
  )
  const typed = before?.payload === undefined ? {} : typedFrom(fields, before.payload)
  return shown({ fields, at: 0, typed, problem: '' })
}

function shown(filling: Filling): Step {
  const field = filling.fields[filling.at]
  return { filling, text: field ? writtenOf(field, textOf(field, filling.typed)) : '' }
}

/** How a field's text stands on the line: choices by their values. */
function writtenOf(field: FormField, text: string): string {
  if (field.kind !== 'choice' && field.kind !== 'choices') return text.replaceAll('\n', ' ')
  const values: unknown[] = text === '' ? [] : [JSON.parse(text)].flat()
  return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ')
}

/** What was typed into the field that is asked, or why it is asked again. */
export function answered(filling: Filling, written: string): Step {
  const { fields, at, typed } = filling
  const field = fields[at]
  if (field === undefined) return { ...shown(filling), isOver: true }
  const again = (problem: string): Step => ({ filling: { ...filling, problem }, text: written })
  const isEmpty = written.trim() === ''
  // Left as it stood: a line shows several lines as one, and must not make them one.
  const isSame = written === writtenOf(field, textOf(field, typed))
  if (!isEmpty && !isSame) {
    const read = readInput(field, written)
    if (!read.ok) return again(read.why)
  }
  const text = isSame
    ? textOf(field, typed)
    : isEmpty
      ? field.kind === 'choices'
        ? '[]'
        : ''
      : inputText(field, written)
  const next = { ...filling, typed: { ...typed, [fieldName(field)]: text }, problem: '' }
  const wrong = fillForm(fields, next.typed).wrong
  const own = wrong.find(({ keys }) => fieldName({ keys }) === fieldName(field))
  if (own) return again(own.why)
  if (at + 1 < fields.length) return shown({ ...next, at: at + 1 })
  // A group that was begun late asks for what was left empty before.
  const missing = fields.findIndex((one) =>
    wrong.some(({ keys }) => fieldName({ keys }) === fieldName(one)),
  )
  if (missing < 0) return { filling: next, text: '', isOver: true }
  const first = shown({ ...next, at: missing })
  return { ...first, filling: { ...first.filling, problem: wrong[0]?.why ?? '' } }
}

export function payloadOf({ fields, typed }: Filling): unknown {
  return fillForm(fields, typed).payload
}

export function answersText(filling: Filling): string {
  return printable(JSON.stringify(hidden(filling, payloadOf(filling))))
}

/** A secret is not drawn once it was typed. */
function hidden({ fields }: Filling, payload: unknown): unknown {
  const secret = new Set(
    fields.filter(({ kind }) => kind === 'secret').map(({ keys }) => keys.at(-1) ?? ''),
  )
  return JSON.parse(
    JSON.stringify(payload, (key, value: unknown) => (secret.has(key) ? '[secret]' : value)),
  )
}

/** Three lines of the foot: which field, what it takes in the asker's words, what is wrong. */
export function fieldWords({ fields, at, problem }: Filling, text: string) {
  const field = fields[at]
  if (field === undefined) return { question: '', help: '', problem: '' }
  const { isRequired, hint, kind, label, help } = field
  const name = setName(field)
  const drawn = kind === 'secret' ? '•'.repeat([...text].length) : printable(text)
  const choices = kind === 'choice' || kind === 'choices' ? `: ${choiceWords(field)}` : ''
  const asker = [label === name ? undefined : label, help].filter((one) => one !== undefined)
  const says = asker.length === 0 ? '' : `   > ${asker.map(printable).join(' · ')}`
  return {
    question: `${at + 1} of ${fields.length}  ${printable(name)}${isRequired ? '' : ' (may be empty)'}: ${drawn}▏`,
    help: `${hint}${printable(choices)}${says}`,
    problem: problem === '' ? '' : printable(problem),
  }
}
