import { TriangleAlert } from 'lucide-react'
import { chosenIn } from '../../../src/api/form/form-answers.ts'
import type { FormChoice, FormField } from '../../../src/api/form/form-fields.ts'
import { t } from '../lib/language/t.ts'
import { visibleText } from '../lib/text/invisible-characters.ts'
import { UntrustedLines, UntrustedText } from './untrusted-text.tsx'

interface FormFieldProps {
  /** Of its control, or of the first where it has several. */
  readonly id: string
  readonly field: FormField
  readonly text: string
  readonly why: string | undefined
  readonly onText: (text: string) => void
}

/** More than this, and a list that opens takes less room than all of them. */
const MOST_SHOWN = 6

const isChosen = ({ kind }: FormField) => kind === 'choice' || kind === 'choices'

/** One field of a form. Label and help are the asker's words; hint and error are ours. */
export function FormFieldInput(props: FormFieldProps) {
  const { field, id, why } = props
  const isList = field.kind === 'choices' || (field.kind === 'choice' && isShort(field.choices))
  const isWide = field.kind === 'lines' || field.kind === 'json'
  const described = `${id}-hint${why === undefined ? '' : ` ${id}-why`}`
  const frame = `grid min-w-0 scroll-my-4 content-start gap-1 ${isWide ? 'col-span-full' : ''}`
  const help = field.help !== undefined && (
    <div className="text-xs leading-[17px] wrap-anywhere text-ink-2">
      <UntrustedLines text={field.help} />
    </div>
  )
  const error = why !== undefined && (
    <p id={`${id}-why`} className="flex items-start gap-1 text-xs leading-[17px] text-bad">
      <TriangleAlert size={13} className="mt-0.5 flex-none" aria-hidden="true" />
      <span className="wrap-anywhere">{visibleText(why)}</span>
    </p>
  )
  if (isList) {
    return (
      <fieldset
        className={frame}
        aria-describedby={described}
        aria-invalid={why !== undefined}
        data-field={field.keys.join('.')}
      >
        <legend className="mb-1 p-0">
          <Label field={field} id={id} />
        </legend>
        {help}
        <Choices {...props} />
        {error}
      </fieldset>
    )
  }
  return (
    <div className={frame} data-field={field.keys.join('.')}>
      <label htmlFor={id}>
        <Label field={field} id={id} />
      </label>
      {help}
      <Control {...props} described={described} />
      {error}
    </div>
  )
}

function isShort(choices: readonly FormChoice[]): boolean {
  return choices.length <= MOST_SHOWN
}

/** The asker's label, then in our words what it takes. A plain text needs none. */
function Label({ field, id }: { field: FormField; id: string }) {
  const { label, isRequired, hint } = field
  const isSaid = !isChosen(field) && hint !== t('text')
  return (
    <>
      <span className="font-medium wrap-anywhere text-ink">
        <UntrustedText text={label} />
      </span>
      {isRequired && <span className="ml-1.5 text-xs text-ink-3">{t('required')}</span>}
      <span id={`${id}-hint`} className={isSaid ? 'ml-1.5 text-xs text-ink-3' : 'sr-only'}>
        {isRequired && isSaid ? '· ' : ''}
        {hint}
      </span>
    </>
  )
}

function Control({
  field,
  id,
  text,
  why,
  onText,
  described,
}: FormFieldProps & { described: string }) {
  const shared = {
    id,
    value: text,
    'aria-required': field.isRequired,
    'aria-invalid': why !== undefined,
    'aria-describedby': described,
  }
  const look = `field w-full max-desk:min-h-11 ${why === undefined ? '' : 'border-bad'}`
  switch (field.kind) {
    case 'choice':
      return (
        <select {...shared} className={look} onChange={({ target }) => onText(target.value)}>
          <option value="">{t('Choose…')}</option>
          {field.choices.map(({ value, label }) => (
            <option key={JSON.stringify(value)} value={JSON.stringify(value)}>
              {visibleText(label)}
            </option>
          ))}
        </select>
      )
    case 'lines':
    case 'json':
      return (
        <textarea
          {...shared}
          className={`${look} min-h-20 ${field.kind === 'json' ? 'font-mono text-code' : ''}`}
          spellCheck={field.kind === 'lines'}
          onChange={({ target }) => onText(target.value)}
        />
      )
    default:
      return (
        <input
          {...shared}
          className={`${look} ${field.kind === 'number' ? 'tabular-nums' : ''}`}
          type={field.kind === 'secret' ? 'password' : 'text'}
          autoComplete="off"
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          onChange={({ target }) => onText(target.value)}
        />
      )
  }
}

/** One of a few, or any number: all of them in view, each with its own box. */
function Choices({ field, id, text, onText }: FormFieldProps) {
  const isOne = field.kind === 'choice'
  const chosen = isOne ? [text] : chosenIn(text)
  const toggle = (value: string, isOn: boolean) => {
    if (isOne) onText(value)
    else onText(`[${[...chosen.filter((one) => one !== value), ...(isOn ? [value] : [])].join()}]`)
  }
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1.5">
      {field.choices.map(({ value, label }, at) => {
        const written = JSON.stringify(value)
        return (
          <label key={written} className="flex min-h-6 items-center gap-2 max-desk:min-h-9">
            <input
              id={at === 0 ? id : undefined}
              type={isOne ? 'radio' : 'checkbox'}
              name={id}
              className="size-4 flex-none accent-accent-fill"
              checked={chosen.includes(written)}
              onChange={({ target }) => toggle(written, target.checked)}
            />
            <span className="wrap-anywhere">
              <UntrustedText text={label} />
            </span>
          </label>
        )
      })}
      {isOne && !field.isRequired && text !== '' && (
        <button type="button" className="link text-xs" onClick={() => onText('')}>
          {t('Clear')}
        </button>
      )}
    </div>
  )
}
