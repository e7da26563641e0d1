import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { questionOf } from '../../../../src/api/question.ts'
import { Question } from '../../components/question.tsx'
import { RiskBadge } from '../../components/risk.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { parseArguments, remarksOn, rowsOf } from '../../lib/arguments/values.ts'
import { t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { Arguments } from '../card/arguments/arguments.tsx'
import { ChoiceButtons, ChoiceNote, type ChoosingProps } from './choice-buttons.tsx'

export const nameOf = ({ server, tool }: ApprovalCard) =>
  server === undefined ? tool : `${server}/${tool}`

/** Risk, tool, agent and the user it acts for. */
export function CallHead({ card }: { card: ApprovalCard }) {
  return (
    <>
      <RiskBadge risk={card.risk} guessed={card.riskGuessed} />
      <b className="font-mono text-code wrap-anywhere">
        <UntrustedText text={nameOf(card)} />
      </b>
      <span className="wrap-anywhere text-ink-2">
        <UntrustedText text={card.agent} />
        {card.principal !== undefined && (
          <>
            {` ${t('for')} `}
            <UntrustedText text={card.principal} />
          </>
        )}
      </span>
    </>
  )
}

/** One call of a batch, whole. */
export function BatchCall({ card, choosing }: ChoosingProps) {
  const rows = rowsOf(parseArguments(card.arguments) ?? {}, card.masked)
  const remarks = rows.flatMap((row) => (row.masked ? [] : remarksOn(row.keys, row.value)))
  const name = visibleText(nameOf(card))
  return (
    <section
      aria-label={`${name}, ${visibleText(card.id)}`}
      data-call={card.id}
      className={`border-b border-line ${choosing.isRepeated(card) ? 'bg-warn-soft' : ''}`}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 pt-2.5 max-desk:px-3">
        <CallHead card={card} />
        <code className="text-ink-3">{shortDigest(card.digest)}</code>
        <span className="flex-1" />
        <ChoiceButtons card={card} choosing={choosing} name={name} />
      </header>
      <div className="px-4 pt-1.5 max-desk:px-3">
        <ChoiceNote card={card} choosing={choosing} />
        <p className="font-medium wrap-anywhere">
          <Question parts={questionOf(card, tell)} />
        </p>
      </div>
      <Arguments card={card} rows={rows} remarks={remarks} before={undefined} />
    </section>
  )
}
