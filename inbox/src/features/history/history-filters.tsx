import { Search, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApprovalSummary } from '../../../../src/api/history/history.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { type Asked, isNarrowed, OUTCOMES, PERIODS } from './history-filter.ts'

interface FiltersProps {
  readonly asked: Asked
  readonly onAsk: (changed: Partial<Asked>) => void
  readonly onClear: () => void
  /** Names that occur without the choices below. */
  readonly names: Pick<ApprovalSummary, 'agents' | 'tools' | 'people'> | undefined
}

const RISK_CHOICES = [
  ['', msg('Any risk')],
  ['L3,L4,L5', msg('L3 and up')],
  ['L4,L5', msg('L4 and up')],
] as const

const riskChoices = (): readonly (readonly [string, string])[] => [
  ...RISK_CHOICES.map(([value, name]) => [value, say(name)] as const),
  ...['L0', 'L1', 'L2', 'L3', 'L4', 'L5'].map(
    (risk) => [risk, t('{risk} only', { risk })] as const,
  ),
]

/** Everything that narrows the list. All of it stands in the address. */
export function HistoryFilters({ asked, onAsk, onClear, names }: FiltersProps) {
  const { agents = [], tools = [], people = [] } = names ?? {}
  const tool = JSON.stringify([asked.tool, asked.server])
  return (
    <search className="grid grid-cols-[minmax(0,1fr)] gap-2.5" aria-label={t('Which calls')}>
      <div className="flex flex-wrap items-center gap-2.5">
        <label className="relative flex max-desk:w-full">
          <Search size={16} className="absolute top-2 left-2.5 text-ink-3" aria-hidden="true" />
          <input
            type="search"
            className="field w-[260px] pl-8 max-desk:w-full"
            aria-label={t('Search history')}
            placeholder={t('Tool, agent, person, text or digest')}
            value={asked.q}
            onChange={({ target }) => onAsk({ q: target.value })}
          />
        </label>
        <fieldset className="seg min-w-0 max-desk:max-w-full max-desk:overflow-x-auto">
          <legend className="sr-only">{t('Outcome')}</legend>
          {Object.entries(OUTCOMES).map(([outcome, { name }]) => (
            <button
              key={outcome}
              type="button"
              aria-pressed={asked.outcome === outcome}
              onClick={() => onAsk({ outcome: outcome as Asked['outcome'] })}
            >
              {say(name)}
            </button>
          ))}
        </fieldset>
      </div>
      <div className="flex flex-wrap items-center gap-2 max-desk:grid max-desk:grid-cols-2">
        <Choice
          label={t('Agent')}
          value={asked.agent}
          onChange={(agent) => onAsk({ agent })}
          any={t('Any agent')}
          options={agents.map((one) => [one.agent, visibleText(one.name)])}
        />
        <Choice
          label={t('Tool')}
          value={asked.tool === '' ? '' : tool}
          onChange={(value) => {
            const [name = '', server = ''] = value === '' ? [] : (JSON.parse(value) as string[])
            onAsk({ tool: name, server })
          }}
          any={t('Any tool')}
          options={tools.map((one) => [JSON.stringify([one.tool, one.server ?? '']), nameOf(one)])}
          shown={nameOf({ tool: asked.tool, server: asked.server })}
        />
        <Choice
          label={t('Person')}
          value={asked.person}
          onChange={(person) => onAsk({ person })}
          any={t('Answered by anyone')}
          options={people.map((one) => [one, visibleText(one)])}
        />
        <Choice
          label={t('Risk')}
          value={asked.risk.join(',')}
          onChange={(risk) => onAsk({ risk: risk.split(',') as unknown as Asked['risk'] })}
          options={riskChoices()}
        />
        <Choice
          label={t('When it was asked')}
          value={asked.period}
          onChange={(period) => onAsk({ period: period as Asked['period'] })}
          options={Object.entries(PERIODS).map(([value, name]) => [value, say(name)])}
        />
        {asked.period === 'dates' && (
          <span className="flex flex-wrap items-center gap-2 max-desk:col-span-2">
            <DateField label={t('From')} value={asked.from} onChange={(from) => onAsk({ from })} />
            <DateField label={t('To')} value={asked.to} onChange={(to) => onAsk({ to })} />
          </span>
        )}
        {isNarrowed(asked) && (
          <button type="button" className="btn btn-quiet btn-small" onClick={onClear}>
            <X size={14} aria-hidden="true" />
            {t('Clear filters')}
          </button>
        )}
      </div>
    </search>
  )
}

function nameOf({ tool, server }: { tool: string; server?: string | undefined }): string {
  return visibleText(server === undefined || server === '' ? tool : `${server}/${tool}`)
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, name: string])[]
  /** The choice that narrows nothing. */
  readonly any?: string
  /** How a chosen value reads that is not among the options any more. */
  readonly shown?: string
}

function Choice({ label, value, onChange, options, any, shown }: ChoiceProps): ReactNode {
  const isKnown = value === '' || options.some(([known]) => known === value)
  return (
    <select
      className={`field max-w-[220px] max-desk:max-w-none ${value === '' || value === 'any' ? '' : 'border-accent-line bg-accent-soft'}`}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {any !== undefined && <option value="">{any}</option>}
      {!isKnown && <option value={value}>{shown ?? visibleText(value)}</option>}
      {options.map(([known, name]) => (
        <option key={known} value={known}>
          {name}
        </option>
      ))}
    </select>
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
