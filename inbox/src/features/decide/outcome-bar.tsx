import { Check } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { OUTCOME_LOOKS } from '../../components/outcome-look.ts'
import { TONE_CLASSES } from '../../components/tone.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { beatenBy, outcomeOf } from '../../lib/approval/outcome.ts'
import type { OutcomeKind } from '../../lib/approval/outcome-kind.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { focusGently } from '../../lib/shortcuts.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { Bar, BarRow } from './bar.tsx'
import type { Deciding } from './use-decide.ts'

interface OutcomeBarProps {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
  readonly deciding: Deciding
  readonly onNext?: () => void
  readonly isLast?: boolean
  /** Something was typed here when it ended. */
  readonly hasUnsent?: boolean
  readonly onResolve: () => void
  /** Not on the page that the link leads to. */
  readonly withLink?: boolean
}

/** In place of the buttons, once they would do nothing any more. */
export function OutcomeBar(props: OutcomeBarProps) {
  const {
    card,
    me,
    deciding,
    onNext,
    onResolve,
    isLast = false,
    hasUnsent = false,
    withLink = true,
  } = props
  const next = useRef<HTMLButtonElement>(null)
  const words = outcomeOf(card, me, serverNow())
  const { tone, icon: Icon } = OUTCOME_LOOKS[words.kind]
  const { late, sent } = deciding
  useEffect(() => {
    if (sent !== undefined || late !== undefined) focusGently(next.current)
  }, [sent, late])
  const title = late === undefined ? words.title : beatenBy(card, me, late)
  const text = late === undefined ? words.text : `${words.title} ${words.text}`
  const revocable =
    card.status === 'approved' && card.execution === undefined && card.can.includes('deny')
  const takeBack = card.status === 'pending' && card.can.includes('deny')
  return (
    <Bar label={t('Outcome')} tone={tone}>
      <div className="flex items-start gap-3 max-wide:flex-wrap">
        <span
          className={`grid size-[34px] flex-none place-items-center rounded-full ${TONE_CLASSES[tone]}`}
        >
          <Icon size={17} aria-hidden="true" />
        </span>
        <div className="min-w-0 flex-1 max-wide:basis-[70%]" role="status">
          <h3 className="text-md">{title}</h3>
          <p className="max-w-[72ch] wrap-anywhere text-ink-2">
            {text}
            {hasUnsent && ` ${t('Nothing you typed was sent.')}`}
            {deciding.granted && (
              <>
                {' '}
                {rich('You also granted calls like it. {link}', {
                  link: (
                    <Link className="link" href="/grants">
                      {t('See or revoke the grant')}
                    </Link>
                  ),
                })}
              </>
            )}
          </p>
        </div>
        <Track card={card} kind={words.kind} />
      </div>
      <Result card={card} />
      <ErrorMessage text={deciding.problem} />
      <BarRow>
        {withLink && (
          <p className="wrap-anywhere text-ink-3">
            {rich('Recorded as {id}', { id: <code>{card.id}</code> })}
          </p>
        )}
        <span className="flex-1 max-desk:hidden" />
        {(revocable || takeBack) && (
          <button
            type="button"
            className="btn btn-quiet"
            disabled={deciding.busy}
            onClick={() => void deciding.send({ verdict: 'deny' })}
          >
            {revocable ? t('Revoke this yes') : t('Deny after all')}
          </button>
        )}
        {card.can.includes('resolve') && (
          <button type="button" className="btn btn-quiet" onClick={onResolve}>
            {t('Write down what happened')}
          </button>
        )}
        {withLink && (
          <Link href={`/history/${encodeURIComponent(card.id)}`} className="btn btn-quiet">
            {t('Everything that happened')}
          </Link>
        )}
        {onNext && (
          <button ref={next} type="button" className="btn" onClick={onNext}>
            {isLast ? t('To the inbox') : t('Next call')} {!isLast && <KeyCap>J</KeyCap>}
          </button>
        )}
      </BarRow>
    </Bar>
  )
}

function Result({ card: { outcome } }: { card: ApprovalCard }) {
  if (outcome === undefined) return null
  const text =
    outcome.result === undefined
      ? undefined
      : typeof outcome.result === 'string'
        ? outcome.result
        : JSON.stringify(outcome.result)
  if (text === undefined && outcome.noResult === undefined) return null
  return (
    <div className="flex max-h-28 items-baseline gap-2.5 overflow-auto rounded-md bg-sunken px-3 py-1.5 shadow-[inset_0_0_0_1px_var(--color-line)]">
      <span className="text-xs text-ink-3">{t('Result')}</span>
      {text === undefined ? (
        <span className="text-ink-2">{outcome.noResult}</span>
      ) : (
        <code className="wrap-anywhere whitespace-pre-wrap">
          <UntrustedText text={text} />
        </code>
      )}
    </div>
  )
}

/** How far a call came: asked, approved, claimed, finished. */
function Track({ card, kind }: { card: ApprovalCard; kind: OutcomeKind }) {
  const now = serverNow()
  const at = (time: number | undefined) => (time === undefined ? '' : clock(time, now))
  const stopped = ['denied', 'expired', 'withdrawn', 'invalidated', 'unused'].includes(kind)
  const { icon: End } = OUTCOME_LOOKS[kind]
  const claimed = card.outcome?.claimedAt
  const steps = [
    { name: t('Asked'), time: at(card.askedAt), done: true },
    stopped
      ? {
          name: outcomeOf(card, undefined, now).word,
          time: at(card.decidedAt),
          done: true,
          stop: true,
        }
      : {
          name: t('Approved'),
          time:
            kind === 'waiting'
              ? t('{have} of {need}', { have: card.met.have, need: card.met.need })
              : at(card.decidedAt),
          done: kind !== 'waiting',
        },
    { name: t('Claimed'), time: at(claimed), done: claimed !== undefined },
    {
      name: t('Finished'),
      time: kind === 'unknown' ? 'unknown' : at(card.outcome?.endedAt),
      done: card.outcome?.endedAt !== undefined || kind === 'unknown',
      end: true,
    },
  ]
  return (
    <ol className="flex min-w-0 flex-none max-wide:basis-full">
      {steps.map(({ name, time, done, stop, end }) => (
        <li
          key={name}
          className="relative grid w-[74px] justify-items-center text-center text-xs leading-4 not-first:before:absolute not-first:before:top-2 not-first:before:right-[calc(50%+12px)] not-first:before:left-[calc(-50%+12px)] not-first:before:border-t not-first:before:border-frame max-wide:min-w-0 max-wide:flex-1"
        >
          <span
            className={`mb-1 grid size-[17px] place-items-center rounded-full ${
              !done
                ? `border border-dashed border-control ${kind === 'running' && end ? 'motion-safe:animate-spin' : ''}`
                : stop || (end && kind !== 'succeeded')
                  ? TONE_CLASSES[OUTCOME_LOOKS[kind].tone]
                  : 'bg-good text-ink-invert'
            }`}
          >
            {done &&
              (stop || end ? (
                <End size={11} aria-hidden="true" />
              ) : (
                <Check size={11} aria-hidden="true" />
              ))}
          </span>
          <span className={done ? '' : 'text-ink-3'}>{name}</span>
          <time className="text-ink-3 tabular-nums">{time}</time>
        </li>
      ))}
    </ol>
  )
}
