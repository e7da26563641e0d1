import { ArrowRight, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import type { EditField } from '../lib/arguments/edit-form.ts'
import { type Json, pathText, remarksOn } from '../lib/arguments/values.ts'
import { t } from '../lib/language/t.ts'
import { visibleText } from '../lib/text/invisible-characters.ts'
import { UntrustedText } from './untrusted-text.tsx'

interface ValueFieldProps {
  readonly field: EditField
  readonly text: string
  readonly change: { readonly was: Json; readonly now: Json } | undefined
  readonly why: string | undefined
  readonly onText: (text: string) => void
}

/** One argument to write, by its schema, with what is wrong with it and what it replaces. */
export function ValueField({ field, text, change, why, onText }: ValueFieldProps) {
  const { kind, choices, hint, keys, was } = field
  const long =
    kind === 'json' || (typeof was === 'string' && (was.includes('\n') || was.length > 60))
  const id = useId()
  const shared = {
    id,
    'aria-invalid': why !== undefined,
    className: `field w-full border-accent font-mono text-code max-desk:min-h-11 ${long ? 'min-h-40' : ''}`,
    value: text,
  }
  const remarks = change === undefined ? [] : remarksOn(keys, change.now)
  return (
    <div
      className={`grid min-w-0 content-start gap-1 text-xs text-ink-3 ${long ? 'col-span-full' : ''}`}
    >
      <label htmlFor={id}>
        <code className="text-ink">{pathText(keys)}</code> {hint}
      </label>
      {kind === 'choice' ? (
        <select {...shared} onChange={({ target }) => onText(target.value)}>
          {choices?.map((choice) => (
            <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
              {visibleText(typeof choice === 'string' ? choice : JSON.stringify(choice))}
            </option>
          ))}
        </select>
      ) : long ? (
        <textarea {...shared} onChange={({ target }) => onText(target.value)} />
      ) : (
        <input
          {...shared}
          type="text"
          placeholder={kind === 'secret' ? t('unchanged') : undefined}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          onChange={({ target }) => onText(target.value)}
        />
      )}
      {why !== undefined && <span className="text-bad">{why}</span>}
      {change !== undefined && (
        <span className="flex flex-wrap items-center gap-1.5 font-mono text-xs leading-[18px]">
          <s className="was wrap-anywhere">
            <UntrustedText text={plain(change.was)} edges />
          </s>
          <ArrowRight size={12} aria-label={t('becomes')} />
          <span className="is-new wrap-anywhere">
            <UntrustedText text={plain(change.now)} edges />
          </span>
        </span>
      )}
      {remarks.map(({ text: remark }) => (
        <span key={remark} className="flex items-center gap-1 text-warn">
          <TriangleAlert size={13} aria-hidden="true" />
          {remark}
        </span>
      ))}
    </div>
  )
}

const plain = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
