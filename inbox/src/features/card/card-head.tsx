import { Check, ChevronLeft, KeyRound, TriangleAlert, UserCheck, Users } from 'lucide-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { questionOf } from '../../../../src/api/question.ts'
import { Chip } from '../../components/chip.tsx'
import { OUTCOME_LOOKS } from '../../components/outcome-look.ts'
import { nameOf } from '../../components/person.tsx'
import { Question } from '../../components/question.tsx'
import { RiskBadge } from '../../components/risk.tsx'
import { doorWords } from '../../lib/approval/door-words.ts'
import { OUTCOME_WORDS, outcomeKind } from '../../lib/approval/outcome-kind.ts'
import { rich } from '../../lib/language/rich.ts'
import { say, t, tell } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { timeLeft, URGENT } from '../../lib/time/clock.ts'
import { useClock } from '../../lib/time/server-time.ts'

const Readers = lazy(() => import('./readers.tsx'), 'Readers')
const CardMenu = lazy(() => import('./card-menu.tsx'), 'CardMenu')

interface CardHeadProps {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
  readonly back: string | undefined
  readonly onExtend?: (() => void) | undefined
  readonly onAsk?: (() => void) | undefined
}

export function CardHead({ card, me, back, onExtend, onAsk }: CardHeadProps) {
  const { risk, level, terms, status, missing } = card
  const kind = outcomeKind(card)
  const { tone, icon } = OUTCOME_LOOKS[kind]
  const question = questionOf(card, tell)
  const length = question.reduce((sum, { text }) => sum + text.length, 0)
  return (
    <header className="relative">
      {back !== undefined && (
        <Link
          href={back}
          className="-ml-1.5 hidden min-h-11 items-center gap-0.5 text-[15px] font-medium text-accent max-desk:inline-flex"
        >
          <ChevronLeft size={18} aria-hidden="true" />
          {back === '/' ? t('Inbox') : t('History')}
        </Link>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <RiskBadge risk={risk} guessed={card.riskGuessed} />
        {level === 'review' ? (
          <Chip icon={Users} last>
            {rich('Review: {card}', { card: approvalsWanted(card) })}
          </Chip>
        ) : (
          <Chip icon={Check} last>
            {t('Confirm: any one person')}
          </Chip>
        )}
        {terms.minAssurance === 'passkey' && <Chip icon={KeyRound}>{t('Passkey')}</Chip>}
        <span className="flex-1 max-desk:hidden" />
        {status === 'pending' ? (
          <Deadline
            askedAt={card.askedAt}
            decideBy={card.decideBy}
            place={
              back === undefined
                ? 'max-desk:ml-auto'
                : 'max-desk:absolute max-desk:top-0 max-desk:right-12 max-desk:h-11'
            }
          />
        ) : (
          <Chip tone={tone} icon={icon}>
            {say(OUTCOME_WORDS[kind])}
          </Chip>
        )}
        <span
          className={
            back === undefined ? undefined : 'max-desk:absolute max-desk:top-0 max-desk:right-0'
          }
        >
          <Suspense fallback={<span className="icon-btn" />}>
            <CardMenu card={card} onExtend={onExtend} onAsk={onAsk} />
          </Suspense>
        </span>
      </div>
      <h2
        tabIndex={-1}
        data-card-heading=""
        className={`mt-2.5 mb-0.5 tracking-tight text-balance outline-none wrap-anywhere ${
          length > 160 ? 'text-md leading-5 font-medium' : 'text-xl max-desk:text-[19px]'
        }`}
      >
        <Question parts={question} />
      </h2>
      {missing.map((name) => (
        <p key={name} className="mb-1 flex items-center gap-1.5 text-warn">
          <TriangleAlert size={14} aria-hidden="true" />
          <span>
            {rich('{value} has no value, so its place in the question is empty.', {
              value: <code>{`{{${visibleText(name)}}}`}</code>,
            })}
          </span>
        </p>
      ))}
      <div className="flex flex-wrap items-center gap-x-3">
        <Byline card={card} />
        {card.assigned && (
          <span className="inline-flex items-center gap-1.5 text-ink-2">
            <UserCheck size={14} aria-hidden="true" />
            {rich('Assigned to {name}', { name: nameOf(card.assigned.to) })}
          </span>
        )}
        {status === 'pending' && (
          <Suspense fallback={null}>
            <Readers id={card.id} me={me} />
          </Suspense>
        )}
      </div>
    </header>
  )
}

/** The same count as beside the arguments and in the bar. */
function approvalsWanted({ met: { need } }: ApprovalCard): string {
  return need <= 1 ? t('one approval') : t('{need} approvals', { need })
}

function Byline({ card: { server, tool, agent, principal, door, kind } }: { card: ApprovalCard }) {
  const facts = [
    visibleText(agent),
    ...(principal === undefined
      ? []
      : [t('acting for {principal}', { principal: visibleText(principal) })]),
    ...(kind === 'agent'
      ? [t('a delegation')]
      : kind === 'skill'
        ? [t('a skill of another agent')]
        : []),
    doorWords(door),
  ]
  return (
    <p className="text-ink-2">
      <code className="text-ink">
        {server !== undefined && (
          <>
            {visibleText(server)}
            <span className="mx-px text-ink-3">/</span>
          </>
        )}
        {visibleText(tool)}
      </code>
      {[...new Set(facts)].map((fact) => (
        <span key={fact}>
          <span className="mx-1.5 text-ink-3">·</span>
          {fact}
        </span>
      ))}
    </p>
  )
}

/** Spoken at 15, 5 and 1 minute only: a countdown read aloud would drown everything else. */
function Deadline({
  askedAt,
  decideBy,
  place,
}: {
  askedAt: number
  decideBy: number
  place: string
}) {
  const text = useClock((now) => timeLeft(decideBy - now))
  const urgent = useClock((now) => decideBy - now < URGENT)
  const share = useClock((now) =>
    Math.round((100 * Math.max(0, decideBy - now)) / Math.max(1, decideBy - askedAt)),
  )
  const spoken = useClock((now) => {
    const minutes = Math.ceil((decideBy - now) / 60_000)
    return minutes === 15 || minutes === 5 || minutes === 1
      ? t('{minutes} min left', { minutes })
      : ''
  })
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums ${place} ${urgent ? 'text-warn' : 'text-ink-2'}`}
    >
      <svg className="size-4 -rotate-90" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" fill="none" strokeWidth="2.5" className="stroke-frame" />
        <circle
          cx="8"
          cy="8"
          r="6"
          fill="none"
          strokeWidth="2.5"
          stroke="currentColor"
          pathLength={100}
          strokeDasharray={`${share} 100`}
        />
      </svg>
      {rich('{text} left', { text: <b className={urgent ? '' : 'text-ink'}>{text}</b> })}
      <span className="sr-only" role="status">
        {spoken}
      </span>
    </span>
  )
}
