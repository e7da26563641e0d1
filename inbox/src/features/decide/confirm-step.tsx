import { useEffect, useRef } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { questionOf } from '../../../../src/api/question.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { nameOf } from '../../components/person.tsx'
import { Question } from '../../components/question.tsx'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { rich } from '../../lib/language/rich.ts'
import { t, tell } from '../../lib/language/t.ts'
import { ApproveButton } from './approve-button.tsx'
import { Bar, BarRow } from './bar.tsx'
import { riskLine } from './risk-line.ts'

interface ConfirmStepProps {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
  readonly ready: boolean
  readonly armed: boolean
  readonly problem: string
  readonly onApprove: () => void
  readonly onBack: () => void
}

/** The second look at L4 and L5. The focus is on the way back. */
export function ConfirmStep({
  card,
  me,
  ready,
  armed,
  problem,
  onApprove,
  onBack,
}: ConfirmStepProps) {
  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => back.current?.focus({ preventScroll: true }), [])
  return (
    <Bar label={t('Confirm')}>
      <ErrorMessage text={problem} />
      <BarRow>
        <div className="min-w-0 flex-1 text-ink-2 max-desk:basis-full">
          <b className="block max-h-40 overflow-auto text-ink wrap-anywhere">
            <Question parts={questionOf(card, tell)} />
          </b>
          {riskLine(card.risk)}
          <br />
          {rich('Signs {digest}', { digest: <code>{shortDigest(card.digest)}</code> })}
          {me && ` ${t('as {name}', { name: nameOf(me) })}`}
          {card.terms.minAssurance === 'passkey' && t(', with your passkey')}.
        </div>
        <button ref={back} type="button" className="btn" onClick={onBack}>
          {t('Go back')} <KeyCap>Esc</KeyCap>
        </button>
        <ApproveButton risk={card.risk} ready={ready} armed={armed} onApprove={onApprove}>
          {t('Approve this call')} <KeyCap>A</KeyCap>
        </ApproveButton>
      </BarRow>
    </Bar>
  )
}
