import { ChevronRight, Circle, CircleCheck } from 'lucide-react'
import { Link } from 'wouter'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { type Step, useSteps } from './use-steps.ts'

/** What is done and what is left, for admins. It goes when all of it is done. */
export function StepList() {
  const steps = useSteps()
  const done = steps.filter((step) => step.done === true).length
  if (done === steps.length || steps.some((step) => step.done === undefined)) return null
  return (
    <section aria-labelledby="set-up" className="frame">
      <header className="flex items-baseline gap-2.5 border-b border-line px-4 py-2.5">
        <h2 id="set-up" className="text-md">
          {t('Set up')}
        </h2>
        <span className="text-ink-3">
          {rich('{done} of {steps} done', { done, steps: steps.length })}
        </span>
      </header>
      <ol>
        {steps.map((step) => (
          <li key={step.href} className="border-b border-line last:border-b-0">
            <Line step={step} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Line({ step: { name, says, href, done } }: { step: Step }) {
  const Icon = done ? CircleCheck : Circle
  return (
    <Link
      href={href}
      className="grid grid-cols-[18px_minmax(0,1fr)_16px] items-center gap-x-3 px-4 py-2.5 hover:bg-hover focus-visible:-outline-offset-2"
    >
      <Icon size={18} className={done ? 'text-good' : 'text-ink-3'} aria-hidden="true" />
      <span>
        <b className={`font-medium ${done ? 'text-ink-2' : ''}`}>{name}</b>
        <span className="sr-only">{done ? t('(done)') : t('(to do)')}</span>
        {!done && <span className="block text-ink-2">{says}</span>}
      </span>
      <ChevronRight size={16} className="text-ink-3" aria-hidden="true" />
    </Link>
  )
}

/** In the rail until everything is done: how far the server is set up. */
export function SetUpLink() {
  const steps = useSteps()
  const done = steps.filter((step) => step.done === true).length
  const next = steps.find((step) => step.done === false)
  if (next === undefined || steps.some((step) => step.done === undefined)) return null
  return (
    <Link
      href={next.href}
      className="grid gap-1.5 rounded-md px-2 py-1.5 hover:bg-hover max-wide:hidden"
    >
      <span className="flex justify-between gap-2 text-xs text-ink-2">
        <span>
          <span className="sr-only">{t('Set up, next:')} </span>
          {next.name}
        </span>
        <span className="tabular-nums">
          {done}/{steps.length}
        </span>
      </span>
      <span className="h-1 rounded-full bg-line" aria-hidden="true">
        <span
          className="block h-1 rounded-full bg-accent"
          style={{ width: `${(100 * done) / steps.length}%` }}
        />
      </span>
    </Link>
  )
}
