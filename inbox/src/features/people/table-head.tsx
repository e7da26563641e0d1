import { t } from '../../lib/language/t.ts'

interface TableHeadProps {
  /** An empty one stands over buttons. */
  readonly names: readonly string[]
  /** Those with a column on wide screens only. */
  readonly wide?: readonly string[]
}

/** On narrow screens each row says its names itself. */
export function TableHead({ names, wide = [] }: TableHeadProps) {
  return (
    <thead className="max-desk:hidden">
      <tr>
        {names.map((name) => (
          <th
            key={name}
            scope="col"
            className={`px-2.5 py-[7px] text-left text-xs font-medium whitespace-nowrap text-ink-3 first:pl-4 ${wide.includes(name) ? 'max-wide:hidden' : ''}`}
          >
            {name === '' ? <span className="sr-only">{t('What can be done')}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
