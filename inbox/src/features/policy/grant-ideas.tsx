import { useQuery } from '@tanstack/react-query'
import { Lightbulb } from 'lucide-react'
import { proposalsQuery } from '../../api/policy.ts'
import { t } from '../../lib/language/t.ts'
import { Evidence, MakeGrant, Wish } from './proposals.tsx'

/** Grants that recorded answers speak for, where grants are. Nothing is made by itself. */
export function GrantIdeas() {
  const { data } = useQuery(proposalsQuery)
  const ideas = data?.proposals.filter((one) => one.kind === 'relax') ?? []
  if (ideas.length === 0) return null
  return (
    <section
      aria-labelledby="grant-ideas"
      className="grid gap-2 rounded-lg border border-dashed border-frame px-4 py-3 max-desk:px-3"
    >
      <h2 id="grant-ideas" className="flex items-center gap-2 text-md">
        <Lightbulb size={16} className="flex-none text-accent" aria-hidden="true" />
        {t('A grant could save these questions')}
      </h2>
      <ul className="grid gap-2.5">
        {ideas.map((one) => (
          <li key={one.id} className="flex flex-wrap items-start gap-x-4 gap-y-2">
            <div className="min-w-0 flex-1 basis-80">
              <Wish proposal={one} />
              <Evidence proposal={one} />
            </div>
            <MakeGrant proposal={one} />
          </li>
        ))}
      </ul>
      <p className="text-ink-3">{t('Nothing changes unless you make one.')}</p>
    </section>
  )
}
