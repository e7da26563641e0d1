import { Suspense, useEffect, useRef, useState } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import { useConnection } from '../../api/connection.ts'
import { isSame } from '../../components/person.tsx'
import { riskClass, riskWord } from '../../components/risk.tsx'
import { lazy } from '../../lib/lazy.tsx'
import { DecisionBar } from '../decide/decision-bar.tsx'
import { useDraft } from '../decide/drafts.ts'
import { OfflineBar } from '../decide/offline-bar.tsx'
import type { useAnswers } from '../decide/use-answers.ts'
import { useDecide } from '../decide/use-decide.ts'
import { useSeen } from '../decide/use-seen.ts'
import { CardHead } from './card-head.tsx'
import { CardPreview } from './card-preview.tsx'
import { Claimed } from './claimed.tsx'
import { Computed } from './computed.tsx'

// Steps that most calls never need are loaded when they are taken.
const IdenticalCalls = lazy(() => import('./identical-calls.tsx'), 'IdenticalCalls')
const AnswerForm = lazy(() => import('./answer-form.tsx'), 'AnswerForm')

const AnswerPanel = lazy(() => import('../decide/answer-panel.tsx'), 'AnswerPanel')

const ChangedBar = lazy(() => import('../decide/changed-bar.tsx'), 'ChangedBar')

const AskPanel = lazy(() => import('../decide/ask-panel.tsx'), 'AskPanel')

const Talk = lazy(() => import('./talk.tsx'), 'Talk')

const ExtendPanel = lazy(() => import('../decide/extend-panel.tsx'), 'ExtendPanel')

const ResolvePanel = lazy(() => import('../decide/resolve-panel.tsx'), 'ResolvePanel')

const EditPanel = lazy(() => import('../decide/edit-panel.tsx'), 'EditPanel')

const GrantPanel = lazy(() => import('../decide/grant-panel.tsx'), 'GrantPanel')

const SimilarCalls = lazy(() => import('./similar-calls.tsx'), 'SimilarCalls')

const loadOutcome = () => import('../decide/outcome-bar.tsx')
const OutcomeBar = lazy(loadOutcome, 'OutcomeBar')

export interface CardProps {
  readonly id: string
  readonly me: WirePerson | undefined
  readonly identical: readonly string[]
  readonly onNext: () => void
  /** No other call waits. */
  readonly isLast: boolean
  /** Where a phone goes back to; nowhere from a dialog. */
  readonly back?: string | undefined
}

type Step = 'ask' | 'decide' | 'edit' | 'grant' | 'answer' | 'extend' | 'resolve'

export interface LoadedProps extends Omit<CardProps, 'id'> {
  readonly card: ApprovalCard
  /** Fills in the form of a call that has one. The same for as long as the card is shown. */
  readonly useForm?: typeof useAnswers
}

const noForm: typeof useAnswers = () => undefined

export function LoadedCard(props: LoadedProps) {
  const { card, me, identical, onNext, isLast, back, useForm = noForm } = props
  const connection = useConnection()
  const scroller = useRef<HTMLDivElement>(null)
  const block = useRef<HTMLElement>(null)
  const [step, setStep] = useState<Step>('decide')
  const [read, setRead] = useState({ digest: card.digest, arguments: card.arguments })
  const [draft, setDraft] = useDraft(card.id)
  const deciding = useDecide(card)
  const filling = useForm({ card, me, draft, onDraft: setDraft, deciding })
  const seen = useSeen(scroller, block, `${card.id} ${card.digest}`)
  // What comes after a decision is there before it is made.
  useEffect(() => void loadOutcome().catch(() => {}), [])

  const pending = card.status === 'pending'
  // An approver may have to say yes again, as the stand-in of a person now away.
  const decided =
    !card.mine.may &&
    card.decisions.some(
      (one) => one.void !== true && one.digest === card.digest && isSame(one.by, me),
    )
  const changed = pending && !decided && card.digest !== read.digest
  const offline = connection.state === 'off'

  return (
    <div className={`flex min-h-0 min-w-0 flex-1 flex-col ${riskClass(card.risk)}`}>
      {/* Browsers put a box that scrolls into the order of keys by themselves. */}
      <div
        ref={scroller}
        className="relative min-h-0 flex-1 overflow-auto outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--color-focus)]"
      >
        <article
          aria-label={`${card.tool}, ${riskWord(card.risk)}`}
          className="mx-auto grid max-w-[1020px] grid-cols-[minmax(0,1fr)] gap-3.5 px-6 pt-4 pb-5 max-desk:gap-3 max-desk:px-3 max-desk:pt-1"
        >
          <CardHead
            card={card}
            me={me}
            back={back}
            onExtend={pending && !offline ? () => setStep('extend') : undefined}
            onAsk={pending && !offline ? () => setStep('ask') : undefined}
          />
          {identical.length > 1 && (
            <Suspense fallback={<div className="h-9" />}>
              <IdenticalCalls id={card.id} ids={identical} />
            </Suspense>
          )}
          <Computed
            card={card}
            before={changed ? read.arguments : undefined}
            me={me}
            staleSince={offline ? connection.since : undefined}
            block={block}
            onEdit={pending && !offline && !changed ? () => setStep('edit') : undefined}
          />
          <CardPreview card={card} />
          <Claimed card={card} />
          {(card.form !== undefined ||
            card.decisions.some(({ payload }) => payload !== undefined)) && (
            <Suspense fallback={null}>
              <AnswerForm
                card={card}
                filling={pending && !changed ? filling : undefined}
                isOff={offline}
              />
            </Suspense>
          )}
          <Suspense fallback={null}>
            <Talk card={card} isOff={offline} />
          </Suspense>
          {/* Last: what arrives late moves nothing that is read before a decision. */}
          <Suspense fallback={null}>
            <SimilarCalls card={card} />
          </Suspense>
        </article>
      </div>
      {offline ? (
        <OfflineBar since={connection.since} />
      ) : step === 'resolve' && card.can.includes('resolve') ? (
        <Suspense fallback={null}>
          <ResolvePanel card={card} onBack={() => setStep('decide')} />
        </Suspense>
      ) : !pending || decided ? (
        <Suspense fallback={null}>
          <OutcomeBar
            card={card}
            me={me}
            deciding={deciding}
            onNext={onNext}
            isLast={isLast}
            hasUnsent={deciding.sent === undefined && draft.reason.trim() !== ''}
            onResolve={() => setStep('resolve')}
          />
        </Suspense>
      ) : changed ? (
        <Suspense fallback={null}>
          <ChangedBar
            card={card}
            me={me}
            wasDigest={read.digest}
            onSeen={() => {
              setStep('decide')
              setRead({ digest: card.digest, arguments: card.arguments })
            }}
          />
        </Suspense>
      ) : step === 'edit' && card.can.includes('edit') ? (
        <Suspense fallback={null}>
          <EditPanel
            card={card}
            seen={seen}
            deciding={deciding}
            draft={draft}
            filling={filling}
            onBack={() => setStep('decide')}
          />
        </Suspense>
      ) : step === 'grant' && card.can.includes('grant') ? (
        <Suspense fallback={null}>
          <GrantPanel
            card={card}
            seen={seen}
            deciding={deciding}
            reason={draft.reason}
            onBack={() => setStep('decide')}
          />
        </Suspense>
      ) : step === 'answer' ? (
        <Suspense fallback={null}>
          <AnswerPanel
            draft={draft}
            deciding={deciding}
            onDraft={setDraft}
            onBack={() => setStep('decide')}
          />
        </Suspense>
      ) : step === 'ask' && card.can.includes('question') ? (
        <Suspense fallback={null}>
          <AskPanel card={card} onBack={() => setStep('decide')} />
        </Suspense>
      ) : step === 'extend' ? (
        <Suspense fallback={null}>
          <ExtendPanel card={card} onBack={() => setStep('decide')} />
        </Suspense>
      ) : (
        <DecisionBar
          card={card}
          me={me}
          seen={seen}
          deciding={deciding}
          draft={draft}
          filling={filling}
          onDraft={setDraft}
          onStep={setStep}
        />
      )}
    </div>
  )
}
