import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import { summaryQuery } from '../../api/history.ts'
import { peopleQuery } from '../../api/people.ts'
import { Choice } from '../../components/choice.tsx'
import { PeriodChoice } from '../../components/period-choice.tsx'
import { nameOf } from '../../components/person.tsx'
import { msg, say, t } from '../../lib/language/t.ts'
import { type AuditFilter, isNarrowed, KINDS } from './audit-filter.ts'

interface FiltersProps {
  readonly filters: AuditFilter
  readonly onFilters: (filters: AuditFilter) => void
}

/** Everything that narrows the record. */
export function AuditFilters({ filters, onFilters }: FiltersProps) {
  const { data: list } = useQuery(peopleQuery)
  const { data: summary } = useQuery(summaryQuery({}))
  const set = (name: keyof AuditFilter) => (value: string) =>
    onFilters({ ...filters, [name]: value })
  const known = {
    agent: summary?.agents.map(({ agent }) => agent),
    tool: summary?.tools.map(({ tool }) => tool),
    approval: undefined,
  }
  // On a phone, entries come first; a filter that is set is never out of sight.
  const [isOpen, setOpen] = useState(isNarrowed({ ...filters, type: '' }))
  const folded = isOpen ? 'contents' : 'contents max-desk:hidden'
  return (
    <search className="flex flex-wrap gap-2" aria-label={t('Which entries')}>
      <Choice
        label={t('Kind')}
        value={filters.type}
        onChange={set('type')}
        options={KINDS.map(([name, types]) => [types, say(name)])}
      />
      <button
        type="button"
        className="btn hidden max-desk:inline-flex"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <SlidersHorizontal size={16} aria-hidden="true" />
        {t('Filters')}
      </button>
      <div className={folded}>
        <Choice
          label={t('Person')}
          value={filters.person}
          onChange={set('person')}
          any={t('All people')}
          options={(list?.people ?? []).map((one) => [one.subject, nameOf(one)])}
        />
        <PeriodChoice
          label={t('When it happened')}
          span={filters}
          onSpan={(changed) => onFilters({ ...filters, ...changed })}
        />
        {(['agent', 'tool', 'approval'] as const).map((name) => (
          <NameField
            key={name}
            label={say(WORDS[name])}
            value={filters[name]}
            onChange={set(name)}
            known={known[name]}
          />
        ))}
      </div>
    </search>
  )
}

const WORDS = { agent: msg('Agent'), tool: msg('Tool'), approval: msg('Approval’s id') } as const

interface NameProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Names that occur, to choose from; others can be typed. */
  readonly known: readonly string[] | undefined
}

function NameField({ label, value, onChange, known = [] }: NameProps) {
  const id = useId()
  return (
    <>
      <input
        type="search"
        className="field min-w-32 flex-1 max-desk:basis-[40%]"
        aria-label={label}
        placeholder={t('{what}, exactly', { what: label })}
        list={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {[...new Set(known)].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  )
}
