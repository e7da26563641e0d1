import { Search, SlidersHorizontal, X } from 'lucide-react'
import { useState } from 'react'
import type { ApprovalSummary } from '../../../../src/api/history/history.ts'
import { Choice } from '../../components/choice.tsx'
import { PeriodChoice } from '../../components/period-choice.tsx'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { type Asked, isNarrowed, OUTCOMES } from './history-filter.ts'

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
  const { q: _, outcome: __, ...folded } = asked
  const isFolded = isNarrowed({ ...folded, q: '', outcome: 'all' })
  // On a phone, rows come first; a filter that is set is never out of sight.
  const [isOpen, setOpen] = useState(isFolded)
  return (
    <search className="grid grid-cols-[minmax(0,1fr)] gap-2.5" aria-label={t('Which calls')}>
      <div className="flex flex-wrap items-center gap-2.5">
        <label className="relative flex max-desk:min-w-0 max-desk:flex-1">
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
        <button
          type="button"
          className="btn hidden max-desk:inline-flex"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <SlidersHorizontal size={16} aria-hidden="true" />
          {t('Filters')}
        </button>
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
      <div
        className={`flex flex-wrap items-center gap-2 max-desk:grid-cols-2 ${isOpen ? 'max-desk:grid' : 'max-desk:hidden'}`}
      >
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
        <PeriodChoice label={t('When it was asked')} span={asked} onSpan={onAsk} />
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
