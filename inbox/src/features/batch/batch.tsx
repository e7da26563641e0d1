import { BadgeCheck, ChevronDown } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { useConnection } from '../../api/connection.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { CardPreview } from '../card/card-preview.tsx'
import { ApproveButton } from '../decide/approve-button.tsx'
import { Bar, BarButtons, BarRow } from '../decide/bar.tsx'
import { OfflineBar } from '../decide/offline-bar.tsx'
import { Reasons } from '../decide/reasons.tsx'
import { useArmed } from '../decide/use-armed.ts'
import { useSeen } from '../decide/use-seen.ts'
import { BatchCall } from './batch-call.tsx'
import { BatchClaims } from './batch-claims.tsx'
import { BatchTable } from './batch-table.tsx'
import { BatchTitle } from './batch-title.tsx'
import type { Choosing } from './choice-buttons.tsx'
import { groupCalls } from './like-calls.ts'
import { actionWords, type Choice, notHere, presetOf, repeated } from './selection.ts'
import { type BatchResult, type BatchSending, useBatch } from './use-batch.ts'
import { useCards } from './use-cards.ts'

interface BatchProps {
  readonly ids: readonly string[]
  readonly onDone: () => void
}

/** A choice is about the call as it was shown: another digest is another call. */
const keyOf = ({ id, digest }: ApprovalCard) => `${id} ${digest}`

/** Several calls, each whole and with its own digest, decided one by one with one click. */
export function Batch({ ids, onDone }: BatchProps) {
  const { cards, missing } = useCards(ids)
  const [chosen, setChosen] = useState<ReadonlyMap<string, Choice>>(new Map())
  const [reason, setReason] = useState('')
  const scroller = useRef<HTMLDivElement>(null)
  const block = useRef<HTMLElement>(null)
  const content = cards.map(keyOf).join(' ')
  const { all: shown, showNext } = useSeen(scroller, block, content)
  const seen = { all: shown && missing === 0, showNext }
  const sending = useBatch()
  const offline = useConnection()
  const again = repeated(cards)
  const choiceOf = (card: ApprovalCard): Choice => {
    const choice = chosen.get(keyOf(card))
    if (choice === 'approve' && notHere(card) !== undefined) return 'open'
    return choice ?? presetOf(card, again.has(card.id), seen.all)
  }
  const choosing: Choosing = {
    choiceOf,
    isRepeated: ({ id }) => again.has(id),
    resultOf: ({ id }) => sending.results.get(id),
    onChoice: (card, choice) => setChosen(new Map([...chosen, [keyOf(card), choice]])),
  }
  const groups = groupCalls(cards)
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div ref={scroller} className="relative min-h-0 flex-1 overflow-auto">
        <article
          aria-label={t('{ids} calls together', { ids: ids.length })}
          className="mx-auto grid max-w-[1020px] grid-cols-[minmax(0,1fr)] gap-3.5 px-6 pt-4 pb-5 max-desk:px-3"
        >
          <h2 className="text-xl tracking-tight" data-card-heading="" tabIndex={-1}>
            <BatchTitle groups={groups} count={ids.length} />
          </h2>
          <section ref={block} aria-labelledby="batch-computed" className="ledger frame relative">
            <header className="flex items-center gap-2.5 border-b border-line px-4 py-2 max-desk:px-3">
              <BadgeCheck size={16} className="flex-none text-accent" aria-hidden="true" />
              <h3 id="batch-computed" className="flex-none">
                {t('Computed by Countersign')}
              </h3>
              <span className="truncate text-ink-3">{t('each call has its own digest')}</span>
            </header>
            {groups.map((group) =>
              'calls' in group ? (
                <BatchTable key={group.calls[0]?.card.id} like={group} choosing={choosing} />
              ) : (
                <BatchCall key={group.id} card={group} choosing={choosing} />
              ),
            )}
            <p className="px-4 py-2.5 text-xs text-ink-3" role="status">
              {missing > 0
                ? t('{missing} of {ids} are not loaded yet. Nothing can be approved.', {
                    missing,
                    ids: ids.length,
                  })
                : t('All {ids} calls shown in full', { ids: ids.length })}
            </p>
          </section>
          {cards.map((card) => (
            <CardPreview key={card.id} card={card} of={shortDigest(card.digest)} />
          ))}
          <BatchClaims cards={cards} />
        </article>
      </div>
      {offline.state === 'off' ? (
        <OfflineBar since={offline.since} />
      ) : (
        <BatchBar
          cards={cards}
          choices={cards.map(choiceOf)}
          seen={seen}
          content={content}
          sending={sending}
          reason={reason}
          onReason={setReason}
          onDone={onDone}
          onDenyAll={() => setChosen(new Map(cards.map((card) => [keyOf(card), 'deny'])))}
        />
      )}
    </div>
  )
}

/** `4 approved, 1 denied.` */
function resultWords(results: readonly BatchResult[]): string {
  const count = (words: string, fits: (one: BatchResult) => boolean) => {
    const found = results.filter(fits).length
    return found === 0 ? [] : [`${found} ${words}`]
  }
  return `${[
    ...count(t('approved'), ({ done, verdict }) => done && verdict === 'approve'),
    ...count(t('denied'), ({ done, verdict }) => done && verdict === 'deny'),
    ...count(t('not decided: each says why'), ({ done }) => !done),
  ].join(', ')}.`
}

interface BatchBarProps {
  readonly cards: readonly ApprovalCard[]
  readonly choices: readonly Choice[]
  readonly seen: { readonly all: boolean; readonly showNext: () => void }
  readonly content: string
  readonly sending: BatchSending
  readonly reason: string
  readonly onReason: (reason: string) => void
  readonly onDone: () => void
  /** Chooses Deny for each; nothing is sent by it. */
  readonly onDenyAll: () => void
}

function BatchBar(props: BatchBarProps) {
  const { cards, choices, seen, content, sending, reason, onReason, onDone, onDenyAll } = props
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const armed = useArmed(`${content} ${choices.join()} ${seen.all}`)
  const words = reason.trim()
  const needsReason = cards.some(
    ({ terms }, at) =>
      choices[at] !== 'open' &&
      (terms.reason === 'required_always' ||
        (terms.reason === 'required' && choices[at] === 'deny')),
  )
  const ready = seen.all && !sending.busy && choices.some((choice) => choice !== 'open')
  const onSend = () => {
    if (!ready || !armed) return
    if (needsReason && words === '') {
      setProblem(t('A reason is required for at least one of them.'))
      field.current?.focus()
      return
    }
    setProblem('')
    const answers = cards.flatMap((card, at) => {
      const verdict = choices[at]
      return verdict === undefined || verdict === 'open' ? [] : [{ card, verdict }]
    })
    void sending.send(answers, words)
  }
  const isOver = sending.results.size > 0 && !sending.busy
  useShortcuts({ Escape: onDone, a: isOver ? undefined : onSend })
  if (isOver) {
    const results = [...sending.results.values()]
    const isApproved = results.some(({ verdict }) => verdict === 'approve')
    const tone = results.some(({ done }) => !done) ? 'warn' : isApproved ? 'good' : 'bad'
    return (
      <Bar label={t('What became of them')} tone={tone}>
        <BarRow>
          <p role="status">{resultWords(results)}</p>
          <span className="flex-1" />
          <button type="button" className="btn" onClick={onDone}>
            {t('Back to the list')}
          </button>
        </BarRow>
      </Bar>
    )
  }
  return (
    <Bar label={t('Decide together')}>
      {!seen.all && (
        <button
          type="button"
          className="absolute -top-8 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full bg-ink px-3.5 font-medium whitespace-nowrap text-ink-invert shadow-menu"
          onClick={seen.showNext}
        >
          <ChevronDown size={16} aria-hidden="true" />
          {t('More below. Approve unlocks at the end.')}
        </button>
      )}
      <ErrorMessage text={problem} />
      <Reasons reason={reason} field={field} wanted="" onReason={onReason} />
      <BarRow>
        <p className="min-w-0 flex-auto text-ink-2">
          {t('Each call is decided on its own; one that changed meanwhile is left out.')}
        </p>
        <BarButtons>
          <button type="button" className="btn btn-quiet flex-none!" onClick={onDone}>
            {t('Clear')}
          </button>
          <button type="button" className="btn" disabled={sending.busy} onClick={onDenyAll}>
            {rich('Deny all {cards}…', { cards: cards.length })}
          </button>
          <ApproveButton risk={undefined} ready={ready} armed={armed} onApprove={onSend}>
            {actionWords(choices)}
          </ApproveButton>
        </BarButtons>
      </BarRow>
    </Bar>
  )
}
