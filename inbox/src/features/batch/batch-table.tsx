import type { ReactNode } from 'react'
import { isPlainQuestion, questionOf } from '../../../../src/api/question.ts'
import { Question } from '../../components/question.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { rich } from '../../lib/language/rich.ts'
import { plural, t, tell } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { Leaf } from '../card/arguments/argument-tree.tsx'
import { CallHead, nameOf } from './batch-call.tsx'
import { ChoiceButtons, ChoiceNote, type Choosing } from './choice-buttons.tsx'
import { type LikeCall, type LikeCalls, totalOf } from './like-calls.ts'
import { choiceWords } from './selection.ts'

interface BatchTableProps {
  readonly like: LikeCalls
  readonly choosing: Choosing
}

/** Calls that differ in a few values: those side by side, and what is the same said once. */
export function BatchTable({ like, choosing }: BatchTableProps) {
  const { calls, same, columns } = like
  const [first] = calls
  if (first === undefined) return null
  const name = visibleText(nameOf(first.card))
  const choices = calls.map(({ card }) => choosing.choiceOf(card))
  const approved = calls.filter((_, at) => choices[at] === 'approve')
  return (
    <section
      aria-label={t('{calls} calls of {name}', { calls: calls.length, name })}
      className="border-b border-line"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5 max-desk:px-3">
        <CallHead card={first.card} />
        <span className="text-ink-3">{plural(calls.length, '{n} call', '{n} calls')}</span>
      </header>
      {same.length > 0 && (
        <div className="flex flex-wrap gap-x-5 gap-y-1 border-t border-line bg-sunken px-4 py-2 max-desk:px-3">
          <span className="text-ink-2">{rich('Same in all {calls}', { calls: calls.length })}</span>
          <dl className="flex flex-wrap gap-x-5 gap-y-1 font-mono text-code">
            {same.map((key) => (
              <div key={key} className="flex flex-wrap gap-x-1.5">
                <dt className="text-ink-2">
                  <UntrustedText text={key} />
                </dt>
                <dd>
                  <Leaf value={first.values[key] ?? null} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      {/* A line is too long for a phone: there every value stands below the other, with its name. */}
      <table className="w-full border-collapse max-desk:block">
        <thead className="max-desk:hidden">
          <tr className="border-t border-line">
            {columns.map((key) => (
              <Th key={key} isNumber={isNumeric(calls, key)}>
                <span className="font-mono">
                  <UntrustedText text={key} />
                </span>
              </Th>
            ))}
            <Th>{t('Digest')}</Th>
            <Th>{t('Decision')}</Th>
          </tr>
        </thead>
        {calls.map((call) => (
          <Line
            key={call.card.id}
            call={call}
            columns={columns}
            calls={calls}
            choosing={choosing}
          />
        ))}
        <tfoot className="max-desk:block">
          <tr className="border-t border-line bg-sunken max-desk:flex max-desk:flex-wrap">
            {columns.map((key) => (
              <td key={key} className="px-2 py-2 text-right font-mono text-code first:pl-4">
                <Sum of={totalOf(like, key, approved)} />
              </td>
            ))}
            <td colSpan={2} className="px-2 py-2 pr-4 font-medium first:pl-4 max-desk:ml-auto">
              {choiceWords(choices)}
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

/** Its name before each value, as many in a line as there is room for. */
const PHONE = 'max-desk:flex max-desk:gap-2 max-desk:p-0! max-desk:text-left!'

const isNumeric = (calls: readonly LikeCall[], key: string) =>
  calls.every(({ values }) => typeof values[key] === 'number')

function Th({ isNumber = false, children }: { isNumber?: boolean; children: ReactNode }) {
  return (
    <th
      scope="col"
      className={`px-2 py-1.5 text-xs font-medium text-ink-2 first:pl-4 last:pr-4 ${isNumber ? 'text-right' : 'text-left'}`}
    >
      {children}
    </th>
  )
}

function Sum({ of }: { of: number | undefined }) {
  if (of === undefined) return null
  return (
    <>
      <span className="sr-only">{t('Total to approve:')} </span>
      <span className="font-sans text-xs text-ink-3" aria-hidden="true">
        {t('total')}{' '}
      </span>
      <Leaf value={of} />
    </>
  )
}

interface LineProps {
  readonly call: LikeCall
  readonly calls: readonly LikeCall[]
  readonly columns: readonly string[]
  readonly choosing: Choosing
}

/** The values of one call, and below them what is to be said about it alone. */
function Line({ call: { card, values }, calls, columns, choosing }: LineProps) {
  const look = choosing.isRepeated(card) ? 'bg-warn-soft' : ''
  const question = isPlainQuestion(card) ? undefined : questionOf(card, tell)
  return (
    <tbody
      data-call={card.id}
      className={`border-t border-line max-desk:block max-desk:py-1 ${look}`}
    >
      <tr className="align-middle max-desk:flex max-desk:flex-wrap max-desk:gap-x-3 max-desk:gap-y-1 max-desk:px-3 max-desk:pt-1">
        {columns.map((key) => (
          <td
            key={key}
            data-argument=""
            className={`px-2 pt-1.5 font-mono text-code wrap-anywhere first:pl-4 ${PHONE} ${isNumeric(calls, key) ? 'text-right' : ''}`}
          >
            <span className="text-ink-2 desk:hidden">
              <UntrustedText text={key} />
            </span>
            <span>
              <Leaf value={values[key] ?? null} />
            </span>
          </td>
        ))}
        <td className={`px-2 pt-1.5 whitespace-nowrap first:pl-4 ${PHONE} max-desk:ml-auto`}>
          <span className="sr-only desk:hidden">{t('Digest')}</span>
          <code className="text-ink-3">{shortDigest(card.digest)}</code>
        </td>
        <td className="w-0 px-2 pt-1.5 pr-4 whitespace-nowrap max-desk:block max-desk:basis-full max-desk:px-0">
          <ChoiceButtons
            card={card}
            choosing={choosing}
            name={`${visibleText(nameOf(card))}, ${shortDigest(card.digest)}`}
            compact
          />
        </td>
      </tr>
      <tr className="max-desk:block">
        <td colSpan={columns.length + 2} className="px-4 pb-1.5 max-desk:block max-desk:px-3">
          {question !== undefined && (
            <p className="text-ink-2 wrap-anywhere">
              <Question parts={question} />
            </p>
          )}
          <ChoiceNote card={card} choosing={choosing} />
        </td>
      </tr>
    </tbody>
  )
}
