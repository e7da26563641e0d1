import { ClipboardPen, TriangleAlert } from 'lucide-react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { type FormField, fieldName, formFields } from '../../../../src/api/form/form-fields.ts'
import { Answers } from '../../components/answers.tsx'
import { FormFieldInput } from '../../components/form-field.tsx'
import { nameOf } from '../../components/person.tsx'
import { UntrustedLines, UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import type { Filling } from '../decide/use-answers.ts'

interface AnswerFormProps {
  readonly card: ApprovalCard
  /** Absent where the reader does not fill it in. */
  readonly filling: Filling | undefined
  /** Nothing is sent while the server is away. */
  readonly isOff?: boolean
}

/**
 * What the asker wants to know with a yes. Its words stand in the same frame as everything that it
 * claims. Keys pressed in here are typed, never shortcuts: after a field may come a box to tick.
 */
export function AnswerForm({ card, filling, isOff = false }: AnswerFormProps) {
  const answered = card.decisions.filter(({ payload }) => payload !== undefined)
  if (card.form === undefined && answered.length === 0) return null
  const { title, description } = (card.form ?? {}) as { title?: unknown; description?: unknown }
  return (
    <section
      ref={filling?.box}
      aria-labelledby={`form-${card.id}`}
      className="claimed max-desk:px-3"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') event.stopPropagation()
      }}
    >
      <header className="flex flex-wrap items-center gap-x-2.5">
        <h3 id={`form-${card.id}`} className="flex items-center gap-[7px] text-claim-ink">
          <ClipboardPen size={15} aria-hidden="true" />
          {filling
            ? t('To fill in with your yes')
            : answered.length > 0
              ? t('Filled in with a yes')
              : t('To fill in with a yes')}
        </h3>
        {card.form !== undefined && (
          <span className="text-ink-3">
            {t('Labels are the agent’s words, not checked. It gets the answers.')}
          </span>
        )}
      </header>
      <div className="mt-2.5 grid gap-3 rounded-md border border-claim-line bg-surface px-3.5 py-3">
        {typeof title === 'string' && title !== '' && (
          <p className="font-medium wrap-anywhere">
            <UntrustedText text={title} />
          </p>
        )}
        {typeof description === 'string' && description !== '' && (
          <div className="-mt-2 wrap-anywhere text-ink-2">
            <UntrustedLines text={description} />
          </div>
        )}
        {filling ? (
          <Fields filling={filling} isOff={isOff} />
        ) : (
          answered.length === 0 && <Asked fields={formFields(card.form, tell)} />
        )}
        {!filling &&
          answered.map(({ by, at, payload, void: isVoid }) => (
            <div key={`${by.issuer} ${by.subject} ${at}`} className="grid gap-1">
              <p className="text-xs text-ink-3">
                {rich('{name} answered', {
                  name: <b className="font-medium text-ink">{nameOf(by)}</b>,
                })}
                {isVoid && t('; it no longer counts')}
              </p>
              <Answers form={card.form} payload={payload} />
            </div>
          ))}
      </div>
    </section>
  )
}

function Fields({ filling, isOff }: { filling: Filling; isOff: boolean }) {
  const { fields, before, differs, others } = filling
  return (
    <>
      {before && (
        <p
          role="status"
          className={`text-xs leading-[17px] ${differs ? 'text-warn' : 'text-ink-2'}`}
        >
          {differs
            ? t(
                '{name} answered otherwise. With your answers that approval is void, and {name2} is asked again.',
                { name: nameOf(before.by), name2: nameOf(before.by) },
              )
            : t('The answers of {name}. A yes with the same answers agrees to them.', {
                name: nameOf(before.by),
              })}
        </p>
      )}
      {others.map((text) => (
        <p key={text} role="alert" className="flex gap-1 text-xs leading-[17px] text-bad">
          <TriangleAlert size={13} className="mt-0.5 flex-none" aria-hidden="true" />
          <span className="wrap-anywhere">{visibleText(text)}</span>
        </p>
      ))}
      <fieldset
        disabled={isOff}
        className="grid grid-cols-2 gap-x-6 gap-y-3.5 max-wide:grid-cols-1"
      >
        <legend className="sr-only">{t('Answers')}</legend>
        {groupsOf(fields).map((group) => (
          <Group key={group.name} group={group} filling={filling} />
        ))}
      </fieldset>
    </>
  )
}

interface FieldGroup {
  readonly name: string
  readonly of: FormField['group']
  readonly fields: readonly FormField[]
}

/** Fields of one object stand together, under its name. */
function groupsOf(fields: readonly FormField[]): FieldGroup[] {
  return [...Map.groupBy(fields, (field) => JSON.stringify(field.group?.keys ?? field.keys))].map(
    ([name, inside]) => ({ name, of: inside[0]?.group, fields: inside }),
  )
}

function Group({ group, filling }: { group: FieldGroup; filling: Filling }) {
  const inputs = group.fields.map((field) => (
    <FormFieldInput
      key={fieldName(field)}
      id={filling.idOf(field)}
      field={field}
      text={filling.textOf(field)}
      why={filling.whyOf(field)}
      onText={(text) => filling.set(field, text)}
    />
  ))
  if (group.of === undefined) return inputs
  const { label, help } = group.of
  return (
    <fieldset className="col-span-full min-w-0">
      <legend className="mb-1 font-medium wrap-anywhere">
        <UntrustedText text={label} />
      </legend>
      <div className="grid grid-cols-2 gap-x-6 gap-y-3.5 border-l-2 border-claim-line pl-3 max-wide:grid-cols-1">
        {help !== undefined && (
          <div className="col-span-full -mb-1.5 text-xs wrap-anywhere text-ink-2">
            <UntrustedLines text={help} />
          </div>
        )}
        {inputs}
      </div>
    </fieldset>
  )
}

/** For those who only read: what is asked, before any answer. */
function Asked({ fields }: { fields: readonly FormField[] }) {
  return (
    <ul className="grid gap-0.5">
      {fields.map((field) => (
        <li key={fieldName(field)} className="wrap-anywhere">
          <UntrustedText text={field.label} />{' '}
          <span className="text-xs text-ink-3">{field.hint}</span>
        </li>
      ))}
    </ul>
  )
}
