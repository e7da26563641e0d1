import type { ApprovalCard } from '../../api/approval.ts'
import type { WireWorkflow } from '../../api/form/form.ts'
import { type FormField, formFields } from '../../api/form/form-fields.ts'
import { choiceWords } from '../form-input.ts'
import type { Paint } from './colour.ts'
import { printable, printableLines } from './printable.ts'

/** What a yes has to fill in. Everything after `>` is the asker's, like all that it claims. */
export function formLines({ form }: ApprovalCard, paint: Paint): string[] {
  if (form === undefined) return []
  const { title, description } = form as { title?: unknown; description?: unknown }
  return [
    '',
    paint('bold', 'To fill in with a yes, in the words of the asker'),
    ...[title, description]
      .filter((text) => typeof text === 'string')
      .flatMap((text) => printableLines(text).map((line) => `  > ${line}`)),
    ...formFields(form).flatMap(fieldLines),
  ]
}

function fieldLines(field: FormField): string[] {
  const { help, isRequired, hint, kind, start, label } = field
  const name = setName(field)
  const choices =
    kind === 'choice' || kind === 'choices' ? `: ${printable(choiceWords(field))}` : ''
  const preset = start === '' || start === '[]' ? '' : `; starts with ${printable(start)}`
  return [
    `  ${printable(name)}${isRequired ? ' (required)' : ''}: ${hint}${choices}${preset}`,
    ...(label === name ? [] : [`    > ${printable(label)}`]),
    ...(help === undefined ? [] : printableLines(help).map((line) => `    > ${line}`)),
  ]
}

/** As `--set` names it. */
export function setName({ keys }: Pick<FormField, 'keys'>): string {
  return keys.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.') || 'the whole form'
}

/** What one approver answered, on a line of its own. */
export function payloadLines(payload: unknown): string[] {
  return payload === undefined ? [] : [`    answered ${printable(JSON.stringify(payload))}`]
}

/** The steps of the workflow that asks, as it claims them. */
export function workflowLines(workflow: WireWorkflow | undefined): string[] {
  if (workflow === undefined) return []
  const { name, step, done = [], next = [] } = workflow
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['done', done],
    ['waits here', step === undefined ? [] : [step]],
    ['next', next],
  ]
  return [
    `  > workflow ${printable(name)}`,
    ...lines
      .filter(([, steps]) => steps.length > 0)
      .map(([words, steps]) => `  >   ${words}: ${steps.map(printable).join(' · ')}`),
  ]
}
