import { ArrowRight, Pencil, TriangleAlert } from 'lucide-react'
import { Suspense } from 'react'
import type { ApprovalCard } from '../../../../../src/api/approval.ts'
import type { Flat } from '../../../../../src/api/arguments/argument-view.ts'
import type { Remark } from '../../../../../src/base/deception/remarks.ts'
import { UntrustedLines, UntrustedText } from '../../../components/untrusted-text.tsx'
import { mayEdit } from '../../../lib/arguments/editable.ts'
import {
  type Json,
  type Keys,
  parseArguments,
  readAt,
  samePath,
  type ValueRow,
} from '../../../lib/arguments/values.ts'
import { useNarrow } from '../../../lib/hooks/use-narrow.ts'
import { number } from '../../../lib/language/language.ts'
import { plural, t } from '../../../lib/language/t.ts'
import { lazy } from '../../../lib/lazy.tsx'
import { visibleText } from '../../../lib/text/invisible-characters.ts'

// Most calls hold no secret.
const Masked = lazy(() => import('./masked-value.tsx'), 'Masked')

export interface ArgumentTreeProps {
  readonly card: ApprovalCard
  readonly rows: readonly ValueRow[]
  readonly remarks: readonly Remark[]
  readonly before: string | undefined
  /** Opens the form that changes arguments, where this person may. */
  readonly onEdit?: (() => void) | undefined
}

/** Key by key, with what stood in a place before. */
export function ArgumentTree({ card, rows, remarks, before, onEdit }: ArgumentTreeProps) {
  const old = oldValues(card, before)
  if (rows.length + old.gone.length === 0) return null
  return (
    <div role="tree" aria-label={t('Arguments')}>
      {rows.map((row) => (
        <Argument
          key={JSON.stringify(row.keys)}
          card={card}
          row={row}
          remarks={remarks.filter(({ keys }) => samePath(keys, row.keys))}
          old={old(row.keys, row.value)}
          onEdit={
            card.can.includes('edit') && row.inside === undefined && mayEdit(card.terms.edit, row)
              ? onEdit
              : undefined
          }
        />
      ))}
      {old.gone.map(({ keys, value }) => (
        <Gone key={JSON.stringify(keys)} keys={keys} value={value} />
      ))}
    </div>
  )
}

interface OldValue {
  readonly value: Json | undefined
  readonly why: string
}

/** What stood in a place before: for this reader, or when the agent asked. */
function oldValues(card: ApprovalCard, before: string | undefined) {
  const text = before ?? card.askedArguments
  const old = parseArguments(text)
  const now = parseArguments(card.arguments)
  const why =
    before === undefined ? t('changed by an approver') : t('changed while you were reading')
  const differs = (keys: Keys, value: Json) => {
    const was = readAt(old, keys)
    return was === undefined
      ? old !== undefined && keys.length > 0
      : JSON.stringify(was) !== JSON.stringify(value)
  }
  const find = (keys: Keys, value: Json): OldValue | undefined =>
    old !== undefined && differs(keys, value) ? { value: readAt(old, keys), why } : undefined
  const gone =
    typeof old === 'object' && old !== null
      ? Object.entries(old).flatMap(([key, value]) =>
          readAt(now, [key]) === undefined ? [{ keys: [key], value: value as Json }] : [],
        )
      : []
  return Object.assign(find, { gone })
}

interface ArgumentProps {
  readonly card: ApprovalCard
  readonly row: ValueRow
  readonly remarks: readonly Remark[]
  readonly old: OldValue | undefined
  readonly onEdit: (() => void) | undefined
}

const ROW =
  'grid grid-cols-[136px_minmax(0,1fr)_20px] items-start gap-x-2.5 border-b border-line py-1 pr-3 pl-4 font-mono text-code max-desk:grid-cols-[minmax(0,1fr)_20px] max-desk:py-1.5 max-desk:pl-3'

function Argument({ card, row, remarks, old, onEdit }: ArgumentProps) {
  const { keys, depth, value, inside } = row
  const long = typeof value === 'string' && value.includes('\n')
  const changed = old !== undefined && inside === undefined
  const indent = { paddingLeft: depth * 16 }
  const narrow = useNarrow()
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      tabIndex={-1}
      data-argument=""
      className={`${ROW} ${changed ? 'bg-warn-soft' : ''}`}
    >
      <span
        className="flex items-center gap-1 wrap-anywhere text-ink-2 max-desk:col-start-1 max-desk:text-xs max-desk:text-ink-3"
        style={indent}
      >
        <span>
          <UntrustedText text={keys.at(-1) ?? ''} />
        </span>
      </span>
      <span
        className={`flex min-w-0 flex-wrap items-baseline gap-x-2 wrap-anywhere max-desk:col-start-1 ${long ? 'col-span-full -mr-3 -ml-4 bg-sunken pr-3 pl-4 max-desk:-ml-3 max-desk:pl-3' : ''}`}
        style={narrow && !long ? indent : undefined}
      >
        {changed && <Was value={old.value} />}
        <Value card={card} row={row} />
        {changed && <span className="font-sans text-xs text-ink-2">{old.why}</span>}
        {remarks.map((remark) => (
          <RemarkLine key={`${remark.text} ${remark.code}`} remark={remark} />
        ))}
      </span>
      {onEdit && (
        <button
          type="button"
          className="col-start-3 row-start-1 grid size-6 -translate-x-1 place-items-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink max-desk:col-start-2"
          aria-label={t('Change {value}', { value: visibleText(keys.at(-1) ?? '') })}
          onClick={onEdit}
        >
          <Pencil size={14} aria-hidden="true" />
        </button>
      )}
    </div>
  )
}

export function RemarkLine({ remark, place }: { remark: Remark; place?: string }) {
  const { text, tone, code } = remark
  return (
    <span
      className={`flex basis-full items-start gap-1.5 font-sans text-xs leading-5 ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}
    >
      <TriangleAlert size={14} className="mt-[3px] flex-none" aria-hidden="true" />
      <span className="wrap-anywhere">
        {place !== undefined && `${place}: `}
        {text} {code !== undefined && <code className="inline-block">{code}</code>}
      </span>
    </span>
  )
}

function Was({ value }: { value: Json | undefined }) {
  if (value === undefined) return <span className="font-sans text-xs text-ink-2">{t('new:')}</span>
  return (
    <>
      <s className="was">{visibleText(JSON.stringify(value))}</s>
      <ArrowRight size={12} className="self-center" aria-label={t('is now')} />
    </>
  )
}

function Gone({ keys, value }: { keys: Keys; value: Json }) {
  return (
    <div role="treeitem" aria-level={1} tabIndex={-1} className={`${ROW} bg-warn-soft`}>
      <span className="text-ink-2">
        <UntrustedText text={keys.at(-1) ?? ''} />
      </span>
      <span className="flex flex-wrap items-baseline gap-x-2 wrap-anywhere">
        <s className="was">{visibleText(JSON.stringify(value))}</s>
        <span className="font-sans text-xs text-ink-2">{t('taken out')}</span>
      </span>
    </div>
  )
}

function Value({ card, row }: { card: ApprovalCard; row: ValueRow }) {
  const { value, inside, masked } = row
  if (masked)
    return (
      <Suspense fallback="••••••••">
        <Masked card={card} row={row} />
      </Suspense>
    )
  if (inside !== undefined) {
    return (
      <span className="font-sans text-xs leading-5 text-ink-3">
        {inside === 0
          ? Array.isArray(value)
            ? t('empty list')
            : t('no fields')
          : Array.isArray(value)
            ? plural(inside, '{n} item', '{n} items')
            : plural(inside, '{n} field', '{n} fields')}
      </span>
    )
  }
  if (typeof value === 'string' && value.includes('\n')) {
    return (
      <span className="block min-w-0 basis-full py-1">
        <UntrustedLines text={value} numbers />
      </span>
    )
  }
  return <Leaf value={value as Flat} />
}

/** One value that has nothing inside, on one line. */
export function Leaf({ value }: { value: Flat }) {
  if (typeof value === 'number') {
    return (
      <>
        <span className="text-number">{String(value)}</span>
        {Math.abs(value) >= 1_000 && (
          <span className="font-sans text-xs text-ink-3">
            = {number(value, { maximumFractionDigits: 20 })}
          </span>
        )}
      </>
    )
  }
  if (typeof value !== 'string') return <span className="text-word">{String(value)}</span>
  return (
    <span className="wrap-anywhere whitespace-pre-wrap">
      <span className="text-ink-3">"</span>
      <span data-text="">
        <UntrustedText text={value} edges />
      </span>
      <span className="text-ink-3">"</span>
    </span>
  )
}
