import { type ReactNode, useState } from 'react'
import type { Figures } from '../../../../src/api/history/insights.ts'
import { number } from '../../lib/language/language.ts'
import { t } from '../../lib/language/t.ts'
import { timeOf } from './bar-chart.tsx'
import { share } from './ends.ts'

export interface FigureRow {
  readonly id: string
  readonly name: ReactNode
  readonly figures: Figures
}

interface TableProps {
  readonly title: string
  readonly says: string
  /** What a row is, as the head of a column. */
  readonly of: string
  readonly rows: readonly FigureRow[]
}

const NUMBER = 'px-2 max-desk:px-1 py-1.5 text-right tabular-nums whitespace-nowrap last:pr-4'
/** On a phone there is room for the first numbers. */
const WIDE = `${NUMBER} max-desk:hidden`
/** The last of them there. */
const TIME = `${NUMBER} max-desk:pr-4`

/** What is seldom asked is one click away. */
const FEW = 5

/** How often, how it ended and how long it took, of each of several things. */
export function FigureTable({ title, says, of, rows }: TableProps) {
  const [isWhole, setWhole] = useState(false)
  if (rows.length === 0) return null
  const most = Math.max(...rows.map(({ figures }) => figures.asked))
  return (
    <section className="frame" aria-label={title}>
      <header className="border-b border-line px-4 py-2.5 max-desk:px-3">
        <h2 className="text-md font-semibold">{title}</h2>
        <p className="text-ink-2">{says}</p>
      </header>
      <table className="w-full border-collapse">
        <thead className="text-xs text-ink-3">
          <tr>
            <th className="px-4 py-1.5 text-left font-medium max-desk:px-3">{of}</th>
            <th className={`${NUMBER} font-medium`}>{t('Asked')}</th>
            <th className={`${NUMBER} font-medium`}>{t('Approved')}</th>
            <th className={`${WIDE} font-medium`}>{t('Denied')}</th>
            <th className={`${WIDE} font-medium`}>{t('Expired')}</th>
            <th className={`${WIDE} font-medium`}>{t('Edited')}</th>
            <th className={`${TIME} font-medium`}>{t('Median')}</th>
            <th className={`${WIDE} font-medium`}>95 %</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, isWhole ? rows.length : FEW).map(({ id, name, figures }) => (
            <tr key={id} className="border-t border-line">
              <th scope="row" className="w-full px-4 py-1.5 text-left font-normal max-desk:px-3">
                <span className="wrap-anywhere">{name}</span>
                <span
                  className="mt-1 block h-1 rounded-full bg-accent-line"
                  style={{ width: `${(100 * figures.asked) / most}%` }}
                  aria-hidden="true"
                />
              </th>
              <td className={NUMBER}>{number(figures.asked)}</td>
              <td className={NUMBER}>{share(figures.approved, figures.asked)}</td>
              <td className={WIDE}>{share(figures.denied, figures.asked)}</td>
              <td className={WIDE}>{share(figures.expired, figures.asked)}</td>
              <td className={WIDE}>{share(figures.edited, figures.approved)}</td>
              <td className={TIME}>{timeOf(figures.medianMs)}</td>
              <td className={WIDE}>{timeOf(figures.p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > FEW && !isWhole && (
        <button type="button" className="link m-4 mt-2 rounded-xs" onClick={() => setWhole(true)}>
          {t('All {n}', { n: number(rows.length) })}
        </button>
      )}
    </section>
  )
}
