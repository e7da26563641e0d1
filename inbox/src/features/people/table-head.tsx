import { t } from '../../lib/language/t.ts'

interface TableHeadProps {
  /** An empty one stands over buttons. */
  readonly names: readonly string[]
}

/** On narrow screens each row says its names itself. */
export function TableHead({ names }: TableHeadProps) {
  return (
    <thead className="max-desk:hidden">
      <tr>
        {names.map((name) => (
          <th
            key={name}
            scope="col"
            className="px-2.5 py-[7px] text-left text-xs font-medium whitespace-nowrap text-ink-3 first:pl-4"
          >
            {name === '' ? <span className="sr-only">{t('What can be done')}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
