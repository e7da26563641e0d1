import { type ReactNode, useMemo } from 'react'
import type { ArgumentView, Block } from '../../../../../src/api/arguments/argument-view.ts'
import type { ChangedLine } from '../../../../../src/api/arguments/line-diff.ts'
import type { Remark } from '../../../../../src/base/deception/remarks.ts'
import type { SqlKind } from '../../../../../src/base/deception/sql.ts'
import { DiffLines } from '../../../components/diff-lines.tsx'
import { UntrustedLines, UntrustedText } from '../../../components/untrusted-text.tsx'
import { pathText } from '../../../lib/arguments/values.ts'
import { changedWords, type Range } from '../../../lib/changed-words.ts'
import { rich } from '../../../lib/language/rich.ts'
import { plural, t } from '../../../lib/language/t.ts'
import { Name, PAD } from './argument-name.tsx'
import { ArgumentTable } from './argument-table.tsx'
import { RemarkLine } from './argument-tree.tsx'
import { sqlLines } from './sql-lines.ts'

interface BlocksProps {
  readonly view: ArgumentView
  readonly remarks: readonly Remark[]
}

/** The arguments that a view covers, each whole and under its own name. */
export function ArgumentBlocks({ view, remarks }: BlocksProps) {
  const odd = remarks.filter(({ keys: [key = ''] }) => view.covers.has(key))
  return (
    <>
      {view.blocks.map((block) => (
        <OneBlock key={keyOf(block)} block={block} />
      ))}
      {odd.length > 0 && (
        <div className={`grid gap-0.5 border-b border-line py-1.5 ${PAD}`}>
          {odd.map((remark) => (
            <RemarkLine
              key={`${pathText(remark.keys)} ${remark.text} ${remark.code}`}
              remark={remark}
              place={pathText(remark.keys)}
            />
          ))}
        </div>
      )}
    </>
  )
}

function keyOf(block: Block): string {
  return block.kind === 'change' ? JSON.stringify(block.from) : block.key
}

function OneBlock({ block }: { block: Block }) {
  switch (block.kind) {
    case 'field':
      return <Field name={block.key} value={block.value} />
    case 'sql':
      return <Sql block={block} />
    case 'patch':
      return <Patch block={block} />
    case 'change':
      return <Change block={block} />
    case 'table':
      return <ArgumentTable block={block} />
    case 'code':
      return (
        <Framed name={block.key}>
          <UntrustedLines text={block.text} numbers />
        </Framed>
      )
    case 'prose':
      return (
        <Framed name={block.key}>
          <span className="block font-sans text-md">
            <UntrustedLines text={block.text} />
          </span>
        </Framed>
      )
  }
}

function Framed({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div
      data-block={name}
      className={`border-b border-line bg-sunken pt-1.5 pb-2.5 font-mono text-code ${PAD}`}
    >
      <Name text={name} />
      {children}
    </div>
  )
}

const CHIP =
  'rounded-sm bg-surface px-1.5 font-mono text-code wrap-anywhere whitespace-pre-wrap shadow-[0_0_0_1px_var(--color-frame)]'

function Field({ name, value }: { name: string; value: string | readonly string[] }) {
  const isSubject = name === 'subject'
  const texts = typeof value === 'string' ? [value] : value
  return (
    <div
      data-block={name}
      className={`grid grid-cols-[72px_minmax(0,1fr)] gap-x-3 py-1 last:border-b ${PAD}`}
    >
      <Name text={name} />
      <span className="flex min-w-0 flex-wrap items-baseline gap-1.5 leading-5">
        {texts.length === 0 && <span className="text-ink-3">{t('none: an empty list')}</span>}
        {texts.map((text, at) => (
          <span key={at} data-text="" className={isSubject ? 'font-semibold wrap-anywhere' : CHIP}>
            {text === '' ? (
              <span className="font-sans font-normal text-ink-3 select-none">{t('empty')}</span>
            ) : (
              <UntrustedText text={text} edges />
            )}
          </span>
        ))}
        {name === 'bcc' && texts.length > 0 && (
          <span className="text-xs text-ink-3">{t('hidden from the others')}</span>
        )}
        {texts.length > 1 && (
          <span className="text-xs text-ink-3">
            {rich('{texts} in all', { texts: texts.length })}
          </span>
        )}
      </span>
    </div>
  )
}

const COLOURS: Readonly<Record<SqlKind, string>> = {
  keyword: 'font-semibold text-accent',
  writes:
    'rounded-xs bg-warn-soft font-semibold text-warn shadow-[0_0_0_1px_var(--color-warn-line)]',
  text: 'text-good',
  number: 'text-number',
  comment: 'text-ink-3 italic',
  plain: '',
}

function Sql({ block }: { block: Extract<Block, { kind: 'sql' }> }) {
  const text = block.tokens.map((token) => token.text).join('')
  const lines = useMemo(() => sqlLines(block.tokens), [block.tokens])
  return (
    <Framed name={block.key}>
      <UntrustedLines
        text={text}
        numbers
        draw={(at) =>
          lines[at]?.map(({ kind, text: piece }, index) => (
            <span key={index} className={COLOURS[kind]}>
              <UntrustedText text={piece} />
            </span>
          ))
        }
      />
    </Framed>
  )
}

const PATCH = {
  same: '',
  hunk: 'text-ink-3',
  removed: 'bg-del text-del-ink',
  added: 'bg-add text-add-ink',
} as const

/** A patch, each line with the numbers that it has in the file before and after. */
function Patch({ block: { key, text, lines } }: { block: Extract<Block, { kind: 'patch' }> }) {
  const { texts, changed, digits } = useMemo(() => {
    const cut = text.split('\n')
    // Without the sign, which is what a line and its successor never share.
    const inside = lines.map(({ kind }, at) => ({ kind, text: (cut[at] ?? '').slice(1) }))
    const last = lines.reduce((most, { before = 0, after = 0 }) => Math.max(most, before, after), 0)
    return { texts: cut, changed: changedWords(inside), digits: String(last).length }
  }, [text, lines])
  const rangeOf = (at: number): Range | undefined => {
    const range = changed.get(at)
    return range && [range[0] + 1, range[1] + 1]
  }
  return (
    <Framed name={key}>
      <UntrustedLines
        text={text}
        gutter={{
          digits: Math.max(2, digits),
          of: (at) => [String(lines[at]?.before ?? ''), String(lines[at]?.after ?? '')],
        }}
        line={(at) => PATCH[lines[at]?.kind ?? 'same']}
        draw={(at) => <UntrustedText text={texts[at] ?? ''} changed={rangeOf(at)} />}
      />
    </Framed>
  )
}

function Change({ block: { from, to, lines } }: { block: Extract<Block, { kind: 'change' }> }) {
  const count = (kind: ChangedLine['kind']) => lines.filter((line) => line.kind === kind).length
  return (
    <div
      data-block={pathText(from)}
      className="border-b border-line bg-sunken pt-1.5 pb-2.5 font-mono text-code"
    >
      <p className={`text-xs leading-5 text-ink-3 ${PAD}`}>
        {rich('{from} becomes {to}: {removed}, {added}', {
          from: pathText(from),
          to: pathText(to),
          removed: (
            <span className="text-del-ink">
              {plural(count('removed'), '{n} line removed', '{n} lines removed')}
            </span>
          ),
          added: (
            <span className="text-add-ink">
              {plural(count('added'), '{n} line added', '{n} lines added')}
            </span>
          ),
        })}
      </p>
      {lines.length === 0 && <p className={`text-ink-3 ${PAD}`}>{t('Both texts are empty.')}</p>}
      <DiffLines lines={lines} className={PAD} />
    </div>
  )
}
