import { fillForm } from '../../api/form/form-answers.ts'
import { type FormField, fieldName, formFields } from '../../api/form/form-fields.ts'
import { usage } from '../failure.ts'
import { inputText, readInput } from '../form-input.ts'
import { printable } from '../print/printable.ts'
import { setName } from '../print/show-form.ts'

/** `--set amount=120 --set ship.city=Bern` as the payload of a yes. Throws what is wrong with it. */
export function setPayload(form: unknown, set: readonly string[]): unknown {
  const fields = formFields(form)
  const typed = Object.fromEntries(set.map((one) => assigned(fields, one)))
  const { payload, wrong } = fillForm(fields, typed)
  if (wrong.length === 0) return payload
  const says = wrong.map(({ keys, why }) => `${printable(setName({ keys }))}: ${why}`)
  throw usage(
    `the form is not filled in: ${says.join(' ')}`,
    'Answer with --set key=value or --payload JSON; `countersign show` prints the form. Nothing was decided.',
  )
}

function assigned(fields: readonly FormField[], one: string): [string, string] {
  const at = one.indexOf('=')
  if (at < 1) throw usage(`--set ${printable(one)} has no value`, 'Write --set key=value.')
  const [key, value] = [one.slice(0, at), one.slice(at + 1)]
  const field = fields.find((known) => setName(known) === key)
  if (field === undefined) {
    throw usage(
      `the form has no ${printable(key)}`,
      `It has ${fields.map((known) => printable(setName(known))).join(', ')}.`,
    )
  }
  const read = readInput(field, value)
  if (value !== '' && !read.ok)
    throw usage(`${printable(key)}: ${read.why}`, 'Nothing was decided.')
  return [fieldName(field), inputText(field, value)]
}
