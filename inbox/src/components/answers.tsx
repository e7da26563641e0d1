import { valueAt } from '../../../src/api/form/form-answers.ts'
import { type FormField, fieldName, formFields } from '../../../src/api/form/form-fields.ts'
import type { Json } from '../lib/arguments/values.ts'
import { t, tell } from '../lib/language/t.ts'
import { UntrustedLines, UntrustedText } from './untrusted-text.tsx'

/** What a person answered, under the labels of the form; as JSON where there was none. */
export function Answers({ form, payload }: { form: unknown; payload: unknown }) {
  const fields = form === undefined ? [] : formFields(form, tell)
  const rows = fields.flatMap((field) => {
    const value = valueAt(payload as Json, field.keys)
    return value === undefined ? [] : [{ field, value }]
  })
  if (rows.length === 0) {
    return (
      <code className="wrap-anywhere whitespace-pre-wrap">
        <UntrustedText text={JSON.stringify(payload)} />
      </code>
    )
  }
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5">
      {rows.map(({ field, value }) => (
        <div key={fieldName(field)} className="contents">
          <dt className="max-w-[24ch] wrap-anywhere text-ink-3">
            {field.group && (
              <>
                <UntrustedText text={field.group.label} />
                {' · '}
              </>
            )}
            <UntrustedText text={field.label} />
          </dt>
          <dd className="min-w-0 wrap-anywhere">
            <UntrustedLines text={textOf(field, value)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Choices by the words that were chosen, with the value where that differs. */
function textOf({ choices }: FormField, value: Json): string {
  const values = Array.isArray(value) && choices.length > 0 ? (value as readonly Json[]) : [value]
  const words = values.map((one) => {
    const written = typeof one === 'string' ? one : JSON.stringify(one)
    const label = choices.find(
      (choice) => JSON.stringify(choice.value) === JSON.stringify(one),
    )?.label
    if (label === undefined || label === written) return written
    return typeof one === 'boolean' ? label : `${label} (${written})`
  })
  return words.length === 0 ? t('none') : words.join(', ')
}
