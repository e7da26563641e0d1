import { ChevronDown, TriangleAlert } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { isHigh } from '../../components/risk.tsx'
import { t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { focusGently, useShortcuts } from '../../lib/shortcuts.ts'
import { useClock } from '../../lib/time/server-time.ts'
import { ApproveButton } from './approve-button.tsx'
import { Bar, BarButtons, BarRow } from './bar.tsx'
import type { Draft } from './drafts.ts'
import { Effect } from './effect/effect.tsx'
import { MOST_KEYS, presetsOf, Reasons } from './reasons.tsx'
import { riskLine } from './risk-line.ts'
import type { Filling } from './use-answers.ts'
import { useArmed } from './use-armed.ts'
import type { Deciding } from './use-decide.ts'
import type { Seen } from './use-seen.ts'

const loadConfirm = () => import('./confirm-step.tsx')
const ConfirmStep = lazy(loadConfirm, 'ConfirmStep')

export interface DecisionBarProps {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
  readonly seen: Seen
  readonly deciding: Deciding
  readonly draft: Draft
  /** Where the call has a form. */
  readonly filling: Filling | undefined
  readonly onDraft: (change: Partial<Draft>) => void
  readonly onStep: (step: 'ask' | 'edit' | 'grant' | 'answer') => void
}

export function DecisionBar(props: DecisionBarProps) {
  const { card, me, seen, deciding, draft, filling, onDraft, onStep } = props
  const { can, risk, terms } = card
  const [accepted, setAccepted] = useState(false)
  const [confirming, setConfirming] = useState(false)
  const [wanted, setWanted] = useState('')
  const [more, setMore] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const deny = useRef<HTMLButtonElement>(null)
  const armed = useArmed(`${card.id} ${card.revision} ${confirming}`)
  const over = useClock((now) => now >= card.decideBy)
  const high = isHigh(risk)
  // What cannot be shown cannot be approved.
  const mayApprove = can.includes('approve') && !over && card.arguments !== ''
  const mayDeny = can.includes('deny') && !over
  const mayGrant = mayApprove && can.includes('grant')
  const ready = mayApprove && seen.all && (risk !== 'L5' || accepted) && !deciding.busy

  // Calls of low risk have no second look; for the others it is there before it is asked for.
  useEffect(() => {
    if (high) void loadConfirm().catch(() => {})
  }, [high])

  // Only when the card opens, and never away from a field being typed in.
  useEffect(() => {
    if (confirming) return
    focusGently(
      high && mayDeny ? deny.current : document.querySelector<HTMLElement>('[data-card-heading]'),
    )
  }, [high, mayDeny, confirming])

  const needReason = (rule: string) => {
    if (draft.reason.trim() !== '') return false
    // On a low screen the reasons are folded away.
    flushSync(() => {
      setWanted(rule)
      setMore(true)
    })
    field.current?.focus()
    return true
  }
  const reason = draft.reason.trim() === '' ? {} : { reason: draft.reason.trim() }
  const onDeny = () => {
    if (!mayDeny || !armed || deciding.busy) return
    if (terms.reason !== 'optional' && needReason(t('A reason is required to deny this call.')))
      return
    void deciding.send({ verdict: 'deny', ...reason })
  }
  const onApprove = () => {
    if (!ready || !armed) return
    if (
      terms.reason === 'required_always' &&
      needReason(t('A reason is required to decide this call.'))
    )
      return
    const answers = filling ? filling.take() : {}
    if (answers === undefined) {
      setConfirming(false)
      return
    }
    if (high && !confirming) setConfirming(true)
    else
      void deciding
        .send({ verdict: 'approve', ...reason, ...answers })
        .then((done) => done || setConfirming(false))
  }
  const onReason = (text: string) => {
    setWanted('')
    onDraft({ reason: text })
  }
  const presets = presetsOf(card)
  const chosen = presets
    .slice(0, MOST_KEYS)
    .map(({ text }, at) => [String(at + 1), () => onReason(text)] as const)
  useShortcuts({
    a: onApprove,
    d: confirming ? undefined : onDeny,
    e: can.includes('edit') && !confirming && !over ? () => onStep('edit') : undefined,
    g: mayGrant && !confirming ? () => onStep('grant') : undefined,
    q: can.includes('question') && !confirming && !over ? () => onStep('ask') : undefined,
    Escape: confirming ? () => setConfirming(false) : undefined,
    ...Object.fromEntries(chosen),
  })

  const others = [
    ...(can.includes('question') && !over
      ? [{ step: 'ask', words: t('Ask…'), letter: 'Q' } as const]
      : []),
    ...(mayDeny
      ? [{ step: 'answer', words: t('Answer instead…'), letter: undefined } as const]
      : []),
    ...(can.includes('edit') && !over
      ? [{ step: 'edit', words: t('Approve with edits…'), letter: 'E' } as const]
      : []),
    ...(mayGrant ? [{ step: 'grant', words: t('Grant…'), letter: 'G' } as const] : []),
  ]
  const buttons = (lookOf: (isYes: boolean) => string) =>
    others.map(({ step, words, letter }) => (
      <button
        key={step}
        type="button"
        className={`btn btn-quiet ${lookOf(step === 'edit' || step === 'grant')}`}
        onClick={() => onStep(step)}
      >
        {words} {letter && <KeyCap>{letter}</KeyCap>}
      </button>
    ))

  if (confirming) {
    return (
      <Suspense fallback={null}>
        <ConfirmStep
          card={card}
          me={me}
          armed={armed}
          ready={ready}
          problem={deciding.problem}
          onApprove={onApprove}
          onBack={() => setConfirming(false)}
        />
      </Suspense>
    )
  }
  return (
    <Bar label={t('Decide')}>
      {!seen.all && mayApprove && (
        <button
          type="button"
          className="absolute -top-8 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full bg-ink px-3.5 font-medium whitespace-nowrap text-ink-invert shadow-menu max-desk:-top-4"
          onClick={seen.showNext}
        >
          <ChevronDown size={16} aria-hidden="true" />
          {t('More below. Approve unlocks at the end.')}
        </button>
      )}
      <ErrorMessage text={deciding.problem} />
      {mayDeny && (
        <div className={more ? '' : 'short:hidden'}>
          <Reasons
            presets={presets}
            reason={draft.reason}
            field={field}
            wanted={wanted}
            onReason={onReason}
          />
        </div>
      )}
      {others.length > 0 && (
        <div className={`flex-wrap gap-2 @min-[960px]:hidden ${more ? 'flex' : 'hidden'}`}>
          {buttons((isYes) => (isYes ? 'vast:hidden' : ''))}
        </div>
      )}
      {risk === 'L5' && mayApprove && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md bg-risk-5-soft px-3 py-1.5 max-desk:gap-y-0 max-desk:py-1 short:py-0.5">
          <span className="flex items-center gap-1.5 text-risk-5 short:hidden">
            <TriangleAlert size={14} aria-hidden="true" />
            {riskLine('L5')}
          </span>
          <label className="flex items-center gap-2 font-medium">
            <input
              type="checkbox"
              className="size-4"
              checked={accepted}
              onChange={({ target }) => setAccepted(target.checked)}
            />
            {t('I reviewed the arguments and accept the risk')}
          </label>
        </div>
      )}
      <BarRow>
        <p
          className={`min-w-0 flex-auto text-ink-2 ${risk === 'L5' && mayApprove ? 'short:sr-only' : ''}`}
        >
          <Effect card={card} me={me} over={over} />
        </p>
        <BarButtons>
          {buttons((isYes) => (isYes ? 'max-vast:hidden' : '@max-[960px]:hidden'))}
          {others.length > 0 && (
            <button
              type="button"
              className="btn btn-quiet flex-none! @min-[960px]:hidden"
              aria-expanded={more}
              onClick={() => setMore(!more)}
            >
              {more ? t('Less') : t('More')}
            </button>
          )}
          {mayDeny && (
            <button
              ref={deny}
              type="button"
              className="btn"
              data-arming={armed ? undefined : ''}
              aria-disabled={!armed || deciding.busy}
              onClick={onDeny}
            >
              {t('Deny')} <KeyCap>D</KeyCap>
            </button>
          )}
          {mayApprove && (
            <ApproveButton
              risk={risk}
              ready={ready}
              armed={armed}
              title={seen.all ? undefined : t('Approve unlocks when all of the call was on screen')}
              onApprove={onApprove}
            >
              {high ? t('Approve…') : t('Approve')} <KeyCap>A</KeyCap>
            </ApproveButton>
          )}
        </BarButtons>
      </BarRow>
    </Bar>
  )
}
