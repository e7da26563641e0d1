import { say, t } from '../lib/language/t.ts'
import { PERIODS, type Span } from '../lib/time/period.ts'
import { Choice } from './choice.tsx'

interface PeriodProps {
  readonly label: string
  readonly span: Span
  readonly onSpan: (changed: Partial<Span>) => void
}

/** A time to look at: one of the usual ones, or two dates. */
export function PeriodChoice({ label, span, onSpan }: PeriodProps) {
  return (
    <>
      <Choice
        label={label}
        value={span.period}
        onChange={(period) => onSpan({ period: period as Span['period'] })}
        options={Object.entries(PERIODS).map(([value, name]) => [value, say(name)])}
      />
      {span.period === 'dates' && (
        <span className="flex flex-wrap items-center gap-2 max-desk:col-span-2">
          <DateField label={t('From')} value={span.from} onChange={(from) => onSpan({ from })} />
          <DateField label={t('To')} value={span.to} onChange={(to) => onSpan({ to })} />
        </span>
      )}
    </>
  )
}

function DateField(props: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label className="flex items-center gap-1.5 text-ink-2">
      {props.label}
      <input
        type="date"
        className="field"
        value={props.value}
        onChange={({ target }) => props.onChange(target.value)}
      />
    </label>
  )
}
