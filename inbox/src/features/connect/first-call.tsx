import { useQuery } from '@tanstack/react-query'
import { Check, LoaderCircle } from 'lucide-react'
import { Link } from 'wouter'
import type { WireToken } from '../../../../src/api/people.ts'
import { questionOf } from '../../../../src/api/question.ts'
import { agentCallsQuery } from '../../api/approvals.ts'
import { tokensQuery } from '../../api/tokens.ts'
import { Question } from '../../components/question.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t, tell } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

const EVERY_MS = 2_000

/** Whether the agent was heard of since its token was made, and what it asked. */
export function FirstCall({ made: { agent, prefix, createdAt } }: { made: WireToken }) {
  const { data: calls } = useQuery({ ...agentCallsQuery(agent), refetchInterval: EVERY_MS })
  const { data: list } = useQuery({ ...tokensQuery, refetchInterval: EVERY_MS })
  const usedAt = list?.tokens.find((one) => one.prefix === prefix)?.lastUsedAt
  const first = calls?.approvals.findLast(({ askedAt }) => askedAt >= createdAt)
  const isHeard = usedAt !== undefined || first !== undefined
  const Icon = isHeard ? Check : LoaderCircle
  return (
    <section
      aria-label={t('First call')}
      className={`frame flex items-start gap-3 p-4 ${isHeard ? 'border-good-line' : ''}`}
    >
      <Icon
        size={18}
        aria-hidden="true"
        className={`mt-0.5 flex-none ${isHeard ? 'text-good' : 'text-ink-3 motion-safe:animate-spin'}`}
      />
      <div role="status" className="grid min-w-0 gap-1">
        <h2 className="text-md">
          {isHeard
            ? rich('{agent} is connected', { agent: <UntrustedText text={agent} /> })
            : rich('Waiting for the first request of {agent}', {
                agent: <UntrustedText text={agent} />,
              })}
        </h2>
        {first ? (
          <p className="wrap-anywhere text-ink-2">
            {rich('It asked at {time}: {link}', {
              time: clock(first.askedAt, serverNow()),
              link: (
                <Link href={`/approvals/${encodeURIComponent(first.id)}`} className="link">
                  <Question parts={questionOf(first, tell)} />
                </Link>
              ),
            })}
          </p>
        ) : (
          <p className="text-ink-2">
            {isHeard
              ? t(
                  'It has asked for no approval yet: what the policy allows runs without a question.',
                )
              : t('This line changes by itself.')}
          </p>
        )}
      </div>
    </section>
  )
}
