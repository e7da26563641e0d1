import { ScanEye, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { changedLines } from '../../../../src/api/arguments/line-diff.ts'
import {
  previewFailure,
  previewOfAsked,
  previewRows,
  previewTitle,
  previewUnchecked,
} from '../../../../src/api/preview/preview-words.ts'
import { DiffLines } from '../../components/diff-lines.tsx'
import { UntrustedLines, UntrustedText } from '../../components/untrusted-text.tsx'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { rich } from '../../lib/language/rich.ts'
import { t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { ArgumentTable } from './arguments/argument-table.tsx'
import { Leaf } from './arguments/argument-tree.tsx'

interface PreviewProps {
  readonly card: ApprovalCard
  /** Which of several calls it is about, where more than one is shown. */
  readonly of?: string
}

/** What the program says its call would do: its own statement, apart from what was computed. */
export function Preview({ card: { id, preview }, of }: PreviewProps) {
  if (preview === undefined) return null
  const { summary, facts = [], table, changes = [], text, ofAsked, digest } = preview
  const failure = previewFailure(preview, tell)
  return (
    <section
      aria-labelledby={`preview-${id}`}
      className="overflow-clip rounded-lg border border-dashed border-claim-line bg-surface"
    >
      <header className="flex flex-wrap items-center gap-x-2.5 bg-claim px-4 py-2 max-desk:px-3">
        <h3 id={`preview-${id}`} className="flex items-center gap-[7px] text-claim-ink">
          <ScanEye size={15} aria-hidden="true" />
          {previewTitle(tell)}{' '}
          <span className="sr-only">{t('of {name}', { name: visibleText(id) })}</span>
          {of !== undefined && <span>{rich('of {name}', { name: <code>{of}</code> })}</span>}
        </h3>
        <span className="text-ink-3">{previewUnchecked(tell)}</span>
        <span className="flex-1" />
        <span className="text-xs text-ink-3" title={digest}>
          {t('sha256')} <code>{shortDigest(digest)}</code>
        </span>
      </header>
      {ofAsked && <Notice>{previewOfAsked(tell)}</Notice>}
      {failure !== undefined && <Notice>{failure}</Notice>}
      {summary !== undefined && (
        <blockquote className="mx-4 my-2.5 border-l-2 border-claim-line pl-3 text-md wrap-anywhere max-desk:mx-3">
          <UntrustedLines text={summary} />
        </blockquote>
      )}
      {facts.length > 0 && (
        <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,220px),1fr))] gap-x-5 border-t border-line px-4 py-2 max-desk:px-3">
          {facts.map(({ label, value }, at) => (
            <div key={at} className="min-w-0 py-1">
              <dt className="text-xs text-ink-3 wrap-anywhere">
                <UntrustedText text={label} />
              </dt>
              <dd className="font-mono text-code wrap-anywhere">
                {typeof value === 'number' ? (
                  <span className="text-number">{String(value)}</span>
                ) : (
                  <Leaf value={value} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {table && (
        <div className="border-t border-line">
          {table.total !== undefined && table.total > table.rows.length && (
            <p className="px-4 pt-2 text-xs text-ink-3 max-desk:px-3">
              {t('Shown: {rows}', { rows: previewRows(table, tell) })}
            </p>
          )}
          <ArgumentTable
            block={{ kind: 'table', key: 'Rows', columns: table.columns, rows: table.rows }}
          />
        </div>
      )}
      {changes.map(({ label, before, after }, at) => (
        <Text key={at} name={<UntrustedText text={label} />}>
          <DiffLines lines={changedLines(before, after)} className="-mx-3 px-3" />
        </Text>
      ))}
      {text !== undefined && (
        <Text name={t('Text')}>
          <UntrustedLines text={text} />
        </Text>
      )}
    </section>
  )
}

function Text({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className="border-t border-line px-4 py-2.5 max-desk:px-3">
      <p className="pb-1 text-xs text-ink-3 wrap-anywhere">{name}</p>
      <div
        data-value=""
        className="overflow-clip rounded-sm border border-line bg-sunken px-3 py-2 font-mono text-code"
      >
        {children}
      </div>
    </div>
  )
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-[9px] border-y border-warn-line bg-warn-soft px-4 py-2 max-desk:px-3">
      <TriangleAlert size={16} className="mt-0.5 flex-none text-warn" aria-hidden="true" />
      {children}
    </p>
  )
}
