import { ArrowRight, Check, ChevronDown, Pencil, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { ApprovalCard } from '../../../src/wire/approval.ts'
import { useKeys } from '../keys.ts'
import { mayEdit } from '../text/editable.ts'
import { visibleText } from '../text/unseen.ts'
import {
  type Json,
  type Keys,
  parseArguments,
  plural,
  type Remark,
  readAt,
  samePath,
  type ValueRow,
} from '../text/values.ts'
import { Foreign, ForeignLines } from './foreign.tsx'
import { Masked } from './masked.tsx'
import { useNarrow } from './use-window.ts'

interface ArgumentsProps {
  readonly card: ApprovalCard
  readonly rows: readonly ValueRow[]
  readonly remarks: readonly Remark[]
  readonly before: string | undefined
}

/** All arguments, never cut. */
export function Arguments({ card, rows, remarks, before }: ArgumentsProps) {
  const [view, setView] = useState<'tree' | 'raw'>('tree')
  useKeys({ t: () => setView(view === 'tree' ? 'raw' : 'tree') })
  if (card.arguments === '') return <Erased />
  const old = oldValues(card, before)
  const total = rows.filter(({ depth }) => depth === 0).length
  const editable = card.can.includes('edit')
    ? rows.filter((row) => row.inside === undefined && mayEdit(card.terms.edit, row)).length
    : 0
  return (
    <section aria-label="Arguments" className="min-w-0 pt-2.5 pb-3">
      <header className="flex items-center justify-between px-4 pb-2 max-desk:px-3">
        <h3 className="text-xs leading-5 font-medium text-ink-3">Arguments</h3>
        <fieldset className="seg">
          <legend className="sr-only">How to show them</legend>
          <button type="button" aria-pressed={view === 'tree'} onClick={() => setView('tree')}>
            Tree
          </button>
          <button type="button" aria-pressed={view === 'raw'} onClick={() => setView('raw')}>
            Raw
          </button>
        </fieldset>
      </header>
      {view === 'tree' ? (
        <div className="border-t border-line">
          {rows.length === 0 && (
            <p className="border-b border-line px-4 py-1.5 text-ink-3">No arguments.</p>
          )}
          {rows.map((row) => (
            <Argument
              key={JSON.stringify(row.keys)}
              card={card}
              row={row}
              remarks={remarks.filter(({ keys }) => samePath(keys, row.keys))}
              old={old(row.keys, row.value)}
              pencil={
                card.can.includes('edit') &&
                row.inside === undefined &&
                mayEdit(card.terms.edit, row)
              }
            />
          ))}
          {old.gone.map(({ keys, value }) => (
            <Gone key={JSON.stringify(keys)} keys={keys} value={value} />
          ))}
        </div>
      ) : (
        <p
          data-raw=""
          className="border-y border-line bg-sunken px-4 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap max-desk:px-3"
        >
          <Foreign text={card.arguments} />
        </p>
      )}
      <p className="flex items-center gap-1.5 px-4 pt-2.5 text-xs text-ink-3 max-desk:px-3">
        <Check size={14} className="flex-none text-good" aria-hidden="true" />
        <span>
          {total === 1 ? 'The only argument is shown' : `All ${plural(total, 'argument')} shown`},{' '}
          {plural(card.bytes, 'byte')}
          {card.masked.length > 0 && ` · ${card.masked.length} masked`}
          {editable > 0 && ` · you may change ${editable}`}
        </span>
      </p>
    </section>
  )
}

function Erased() {
  return (
    <section aria-label="Arguments" className="px-4 py-3 text-ink-2 max-desk:px-3">
      The arguments are no longer kept. Their digest is, and what was decided about them.
    </section>
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
  const why = before === undefined ? 'changed by an approver' : 'changed while you were reading'
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
  readonly pencil: boolean
}

const ROW =
  'grid grid-cols-[136px_minmax(0,1fr)_20px] items-start gap-x-2.5 border-b border-line py-1 pr-3 pl-4 font-mono text-code max-desk:grid-cols-[minmax(0,1fr)_20px] max-desk:py-1.5 max-desk:pl-3'

function Argument({ card, row, remarks, old, pencil }: ArgumentProps) {
  const { keys, depth, value, inside } = row
  const long = typeof value === 'string' && value.includes('\n')
  const changed = old !== undefined && inside === undefined
  const indent = { paddingLeft: depth * 16 }
  const narrow = useNarrow()
  return (
    <div data-argument="" className={`${ROW} ${changed ? 'bg-warn-soft' : ''}`}>
      <span
        className="flex items-center gap-1 wrap-anywhere text-ink-2 max-desk:col-start-1 max-desk:text-xs max-desk:text-ink-3"
        style={indent}
      >
        {inside !== undefined && (
          <ChevronDown size={12} className="-ml-1 flex-none" aria-hidden="true" />
        )}
        <span>
          <Foreign text={keys.at(-1) ?? ''} />
        </span>
      </span>
      <span
        className={`flex min-w-0 flex-wrap items-baseline gap-x-2 wrap-anywhere max-desk:col-start-1 ${long ? 'col-span-full -mr-3 -ml-4 bg-sunken pr-3 pl-4 max-desk:-ml-3 max-desk:pl-3' : ''}`}
        style={narrow && !long ? indent : undefined}
      >
        {changed && <Was value={old.value} />}
        <Value card={card} row={row} />
        {changed && <span className="font-sans text-xs text-ink-2">{old.why}</span>}
        {remarks.map(({ text, tone, code }) => (
          <span
            key={`${text} ${code}`}
            className={`flex basis-full items-start gap-1.5 font-sans text-xs leading-5 ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}
          >
            <TriangleAlert size={14} className="mt-[3px] flex-none" aria-hidden="true" />
            <span>
              {text} {code !== undefined && <code className="inline-block">{code}</code>}
            </span>
          </span>
        ))}
      </span>
      {pencil && (
        <span
          className="col-start-3 row-start-1 pt-[3px] text-ink-3 max-desk:col-start-2"
          title="You may change this"
        >
          <Pencil size={14} aria-hidden="true" />
        </span>
      )}
    </div>
  )
}

function Was({ value }: { value: Json | undefined }) {
  if (value === undefined) return <span className="font-sans text-xs text-ink-2">new:</span>
  return (
    <>
      <s className="was">{visibleText(JSON.stringify(value))}</s>
      <ArrowRight size={12} className="self-center" aria-label="is now" />
    </>
  )
}

function Gone({ keys, value }: { keys: Keys; value: Json }) {
  return (
    <div className={`${ROW} bg-warn-soft`}>
      <span className="text-ink-2">
        <Foreign text={keys.at(-1) ?? ''} />
      </span>
      <span className="flex flex-wrap items-baseline gap-x-2 wrap-anywhere">
        <s className="was">{visibleText(JSON.stringify(value))}</s>
        <span className="font-sans text-xs text-ink-2">taken out</span>
      </span>
    </div>
  )
}

function Value({ card, row }: { card: ApprovalCard; row: ValueRow }) {
  const { value, inside, masked } = row
  if (masked) return <Masked card={card} row={row} />
  if (inside !== undefined) {
    const word = Array.isArray(value) ? 'item' : 'field'
    return (
      <span className="font-sans text-xs leading-5 text-ink-3">
        {inside === 0 ? (Array.isArray(value) ? 'empty list' : 'no fields') : plural(inside, word)}
      </span>
    )
  }
  if (typeof value === 'number') {
    return (
      <>
        <span className="text-number">{String(value)}</span>
        {Math.abs(value) >= 1_000 && (
          <span className="font-sans text-xs text-ink-3">
            = {value.toLocaleString('en-US', { maximumFractionDigits: 20 })}
          </span>
        )}
      </>
    )
  }
  if (typeof value !== 'string') return <span className="text-word">{String(value)}</span>
  if (value.includes('\n')) {
    return (
      <span className="block min-w-0 basis-full py-1">
        <ForeignLines text={value} numbers />
      </span>
    )
  }
  return (
    <span className="wrap-anywhere whitespace-pre-wrap">
      <span className="text-ink-3">"</span>
      <span data-text="">
        <Foreign text={value} edges />
      </span>
      <span className="text-ink-3">"</span>
    </span>
  )
}
