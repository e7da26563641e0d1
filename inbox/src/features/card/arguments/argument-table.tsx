import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import type { Block, Flat } from '../../../../../src/api/arguments/argument-view.ts'
import { UntrustedText } from '../../../components/untrusted-text.tsx'
import { plural, t } from '../../../lib/language/t.ts'
import { Name, PAD } from './argument-name.tsx'
import { Leaf } from './argument-tree.tsx'

type TableBlock = Extract<Block, { kind: 'table' }>

/** Of one character in the table's type, and a little more. */
const CHARACTER_PX = 7.9

/** Rows of values: beside each other where no word has to be broken, else one below the other. */
export function ArgumentTable({ block: { key, columns, rows } }: { block: TableBlock }) {
  const [width, setWidth] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (box.current === null) return
    const look = () => setWidth(box.current?.clientWidth ?? 0)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const isStacked = widthOf(columns, rows) * CHARACTER_PX > width
  return (
    <div ref={box} data-block={key} data-table="" className="border-b border-line pt-1.5 pb-1">
      <div className={`flex gap-2 ${PAD}`}>
        <Name text={key} />
        <span className="text-xs leading-5 text-ink-3">
          {plural(rows.length, '{n} row', '{n} rows')}
        </span>
      </div>
      {isStacked ? (
        <Stack columns={columns} rows={rows} />
      ) : (
        <Table columns={columns} rows={rows} />
      )}
    </div>
  )
}

/** The least a table takes: the longest word of each column, and the room around it. */
function widthOf(columns: TableBlock['columns'], rows: TableBlock['rows']): number {
  const widths = columns.map((name, at) =>
    Math.max(longestWord(name), ...rows.map((row) => longestWord(String(row[at] ?? '')) + 2)),
  )
  return widths.reduce((sum, one) => sum + one + 3, 4)
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s+/).map((word) => word.length))
}

function Cell({ value }: { value: Flat | undefined }) {
  return (
    <span data-cell="">
      {value === undefined ? (
        <span className="font-sans text-xs text-ink-3">{t('not there')}</span>
      ) : typeof value === 'number' ? (
        <span className="text-number">{String(value)}</span>
      ) : (
        <Leaf value={value} />
      )}
    </span>
  )
}

type Rows = Pick<TableBlock, 'columns' | 'rows'>

/** On a phone each row is a stack as well. */
function Table({ columns, rows }: Rows) {
  return (
    <table className="w-full border-collapse font-mono text-code max-desk:block">
      <thead className="max-desk:hidden">
        <tr>
          <Th>#</Th>
          {columns.map((name) => (
            <Th key={name}>
              <UntrustedText text={name} />
            </Th>
          ))}
        </tr>
      </thead>
      <tbody className="max-desk:block">
        {rows.map((row, at) => (
          <tr
            key={at}
            className="max-desk:block max-desk:border-t max-desk:border-line max-desk:py-1"
          >
            <td className="border-t border-line px-2.5 py-1 align-top text-ink-3 select-none first:pl-4 max-desk:block max-desk:border-0 max-desk:py-0 max-desk:first:pl-3">
              {at + 1}
            </td>
            {columns.map((name, column) => (
              <td
                key={name}
                className="border-t border-line px-2.5 py-1 align-top wrap-break-word last:pr-4 desk:[&_span]:[overflow-wrap:break-word] max-desk:grid max-desk:grid-cols-[96px_minmax(0,1fr)] max-desk:gap-x-2 max-desk:border-0 max-desk:px-3 max-desk:py-0.5 max-desk:wrap-anywhere"
              >
                <span className="hidden text-xs leading-5 text-ink-3 max-desk:block">
                  <UntrustedText text={name} />
                </span>
                <Cell value={row[column]} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Th({ children }: { children: ReactNode }) {
  return (
    <th
      scope="col"
      className="px-2.5 py-1 text-left text-xs font-medium whitespace-nowrap text-ink-3 first:pl-4"
    >
      {children}
    </th>
  )
}

function Stack({ columns, rows }: Rows) {
  return (
    <ol className="font-mono text-code">
      {rows.map((row, at) => (
        <li
          key={at}
          className={`grid grid-cols-[28px_minmax(0,1fr)] border-t border-line py-1.5 ${PAD}`}
        >
          <span className="text-ink-3 select-none">{at + 1}</span>
          <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,320px),1fr))] gap-x-5">
            {columns.map((name, column) => (
              <div key={name} className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-2 wrap-anywhere">
                <dt className="text-xs leading-5 text-ink-3">
                  <UntrustedText text={name} />
                </dt>
                <dd>
                  <Cell value={row[column]} />
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ol>
  )
}
