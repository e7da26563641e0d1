import { Users } from 'lucide-react'
import { Link } from 'wouter'
import { questionOf } from '../../../../src/api/question.ts'
import { useCard, useWithdraw } from '../../api/approvals.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Question } from '../../components/question.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t, tell } from '../../lib/language/t.ts'
import { timeLeft } from '../../lib/time/clock.ts'
import { useClock } from '../../lib/time/server-time.ts'

/** Others must say yes: who was asked, how long they have, and the way to take it back. */
export function Review({ id }: { id: string }) {
  const { data: card } = useCard(id)
  const withdraw = useWithdraw(id)
  const left = useClock((now) => timeLeft((card?.decideBy ?? now) - now))
  if (card === undefined) return null
  const who = [
    ...new Set(
      card.requirements.flatMap(({ approvers, quorum }) => [
        ...quorum.map(({ group, n }) => t('{n} of group {group}', { n, group })),
        ...approvers,
      ]),
    ),
  ]
  return (
    <div className="grid gap-1.5 border-t border-line bg-open-soft px-3 py-2.5">
      <p className="font-medium text-ink wrap-anywhere">
        <Question parts={questionOf(card, tell)} />
      </p>
      <p role="status" className="flex items-start gap-1.5 text-ink-2">
        <Users size={14} aria-hidden="true" className="mt-[3px] flex-none text-open" />
        <span>
          {rich(
            'Other people review this: {who}. {have} of {need} so far, {left} left. The conversation goes on when they answer.',
            {
              who: <UntrustedText text={who.join(', ')} />,
              have: card.met.have,
              need: card.met.need,
              left,
            },
          )}
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Link href={`/approvals/${encodeURIComponent(id)}`} className="btn btn-small">
          {t('Open in the inbox')}
        </Link>
        {card.can.includes('withdraw') && (
          <button
            type="button"
            className="btn btn-quiet btn-small"
            disabled={withdraw.isPending}
            onClick={() => withdraw.mutate()}
          >
            {t('Withdraw')}
          </button>
        )}
      </div>
      <ErrorMessage error={withdraw.error} />
    </div>
  )
}
