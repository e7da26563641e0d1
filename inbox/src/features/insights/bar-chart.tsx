import { useId } from 'react'
import type { Figures } from '../../../../src/api/history/insights.ts'
import { number } from '../../lib/language/language.ts'
import { midSentence, say, t } from '../../lib/language/t.ts'
import { took } from '../../lib/time/clock.ts'
import { ENDS } from './ends.ts'

export interface Bar {
  readonly name: string
  readonly figures: Figures
}

interface ChartProps {
  readonly title: string
  readonly says: string
  /** What one bar is, as the head of a column. */
  readonly of: string
  readonly bars: readonly Bar[]
}

const HEIGHT = 140
const WIDTH = 1_000

/** Bars stacked by how questions ended, and the same as a table. */
export function BarChart({ title, says, of, bars }: ChartProps) {
  const id = useId()
  const most = Math.max(...bars.map(({ figures }) => figures.asked))
  const top = niceTop(most)
  const step = WIDTH / bars.length
  const gap = Math.min(6, step * 0.2)
  return (
    <figure className="frame grid grid-cols-[minmax(0,1fr)] content-start gap-3 p-4">
      <figcaption>
        <h2 id={id} className="text-md font-semibold">
          {title}
        </h2>
        <p className="text-ink-2">{says}</p>
      </figcaption>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div
          className="flex h-[140px] flex-col justify-between text-right text-xs leading-none text-ink-3 tabular-nums"
          aria-hidden="true"
        >
          <span>{number(top)}</span>
          <span>0</span>
        </div>
        <svg
          role="img"
          aria-label={t('{title}: at most {most} for one {of}. The table below has every number.', {
            title,
            most: number(most),
            of: midSentence(of),
          })}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-[140px] w-full border-y border-line"
        >
          {bars.map(({ name, figures }, nth) => (
            <Stack
              key={name}
              figures={figures}
              x={nth * step + gap / 2}
              width={step - gap}
              scale={HEIGHT / top}
            />
          ))}
        </svg>
        <div
          className="col-start-2 flex justify-between pt-1 text-xs text-ink-3 tabular-nums"
          aria-hidden="true"
        >
          <span>{bars[0]?.name}</span>
          <span>{bars[Math.floor(bars.length / 2)]?.name}</span>
          <span>{bars.at(-1)?.name}</span>
        </div>
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
        {ENDS.map(({ name, mark }) => (
          <li key={mark} className="flex items-center gap-1.5">
            <span className={`size-2.5 rounded-xs ${mark}`} aria-hidden="true" />
            {say(name)}
          </li>
        ))}
      </ul>
      <details>
        <summary className="w-fit cursor-pointer font-medium text-accent">
          {t('Show as a table')}
        </summary>
        <div className="mt-2 overflow-x-auto">
          <table className="w-full border-collapse text-right tabular-nums" aria-labelledby={id}>
            <thead className="text-xs text-ink-3">
              <tr>
                {[of, t('Asked'), ...ENDS.map(({ name }) => say(name)), t('Median'), '95 %'].map(
                  (name) => (
                    <th key={name} className="px-2 py-1 font-medium first:text-left">
                      {name}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ name, figures }) => (
                <tr key={name} className="border-t border-line">
                  <th scope="row" className="px-2 py-1 text-left font-normal whitespace-nowrap">
                    {name}
                  </th>
                  <td className="px-2 py-1">{number(figures.asked)}</td>
                  {ENDS.map((end) => (
                    <td key={end.mark} className="px-2 py-1">
                      {number(end.of(figures))}
                    </td>
                  ))}
                  <td className="px-2 py-1 whitespace-nowrap">{timeOf(figures.medianMs)}</td>
                  <td className="px-2 py-1 whitespace-nowrap">{timeOf(figures.p95Ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

function Stack(props: { figures: Figures; x: number; width: number; scale: number }) {
  let below = HEIGHT
  return ENDS.map(({ fill, of }) => {
    const height = of(props.figures) * props.scale
    below -= height
    if (height === 0) return null
    return (
      <rect key={fill} className={fill} x={props.x} y={below} width={props.width} height={height} />
    )
  })
}

export function timeOf(ms: number | undefined): string {
  return ms === undefined ? '–' : took(ms)
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most) ?? most
}
