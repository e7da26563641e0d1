import { Check, Lock, X } from 'lucide-react'
import { Suspense } from 'react'
import type { ApprovalCard, WireRequirement } from '../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../src/api/common.ts'
import type { WhyAsked } from '../../../../src/api/words/why-asked.ts'
import { Avatar, forNames, isSame, nameOf } from '../../components/person.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { RuleTest, Verdict } from '../../components/verdict.tsx'
import {
  approverWords,
  ruleWords,
  testsWords,
  whyNotWords,
} from '../../lib/approval/asked-words.ts'
import { ruleName } from '../../lib/approval/rule-name.ts'
import { language } from '../../lib/language/language.ts'
import { rich } from '../../lib/language/rich.ts'
import { msg, plural, say, t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { visibleText } from '../../lib/text/invisible-characters.ts'

// Most calls are answered in time.
const Added = lazy(() => import('./added.tsx'), 'Added')
const Unreachable = lazy(() => import('./unreachable.tsx'), 'Unreachable')

const HEAD = 'flex justify-between text-xs leading-5 font-medium text-ink-3'

/** Beside the arguments: which rules asked and what they saw, who must decide and who did. */
export function Facts({ card, me }: { card: ApprovalCard; me: WirePerson | undefined }) {
  return (
    <aside className="grid min-w-0 content-start gap-3 border-l border-line bg-sunken px-4 pt-2.5 pb-3.5 group-has-data-table/block:grid-cols-2 group-has-data-table/block:gap-x-6 group-has-data-table/block:border-t group-has-data-table/block:border-l-0 max-wide:grid-cols-2 max-wide:gap-x-6 max-wide:border-t max-wide:border-l-0 max-desk:grid-cols-1! max-desk:px-3">
      <section>
        <h3 className={HEAD}>{t('Why you are asked')}</h3>
        {card.why.map((rule) => (
          <Rule key={`${rule.source} ${rule.rule} ${rule.place}`} rule={rule} />
        ))}
      </section>
      <section className="border-line pt-2 not-group-has-data-table/block:border-t group-has-data-table/block:pt-0 max-wide:border-t-0! max-wide:pt-0 max-desk:border-t! max-desk:pt-2">
        <h3 className={HEAD}>
          {t('Who must agree')}
          <span className="text-ink tabular-nums">
            {plural(card.met.need, '{have} of {n} approval', '{have} of {n} approvals', {
              have: card.met.have,
            })}
          </span>
        </h3>
        {card.requirements.map((one) => (
          <Requirement key={`${one.source} ${one.rule}`} requirement={one} card={card} me={me} />
        ))}
        <Votes card={card} me={me} />
        {card.unreachable !== undefined && (
          <Suspense fallback={null}>
            <Unreachable why={card.unreachableWhy ?? card.unreachable} />
          </Suspense>
        )}
        {!card.mine.may && card.status === 'pending' && (
          <p className="mt-1 flex gap-1.5 text-xs leading-[17px] text-ink-3">
            <Lock size={13} className="mt-0.5 flex-none" aria-hidden="true" />
            <UntrustedText text={whyNotWords(card.mine)} />
          </p>
        )}
      </section>
    </aside>
  )
}

const ANSWERS = { yes: msg('yes'), no: msg('no'), unknown: msg('unknown') } as const

function Rule({
  rule: { source, rule, words: says, place, asks, answer, values },
}: {
  rule: WhyAsked
}) {
  return (
    <div className="not-last:mb-2">
      <div className="flex items-baseline justify-between gap-2">
        <b className="font-medium wrap-anywhere" title={visibleText(rule)}>
          <UntrustedText text={ruleName(rule)} />
        </b>
        <Verdict word={asks} />
      </div>
      <p className="text-xs wrap-anywhere text-ink-3">
        {visibleText(source)}
        {place !== undefined && ` · ${visibleText(place)}`}
      </p>
      {/* The tests below say the same, in every language. */}
      {says !== undefined && values.length > 0 && language() === 'en' && (
        <p className="text-xs wrap-anywhere text-ink-2">{visibleText(says)}</p>
      )}
      {values.length === 0 && (
        <RuleTest answer={answer}>
          {answer === 'yes' ? visibleText(ruleWords(says)) : t('cannot be tested, so it asks')}
        </RuleTest>
      )}
      {values.map((value) => (
        <RuleTest key={`${value.path} ${value.wanted}`} answer={value.answer}>
          <code className="text-xs wrap-anywhere">{visibleText(value.path)}</code>{' '}
          <span className="wrap-anywhere text-ink-2">{visibleText(testsWords(value))}</span>
          <br />
          <span className="text-ink-3">
            {rich('saw {part}', {
              part:
                value.saw === 'missing' ? (
                  <b className="font-medium text-ink-2">{t('nothing')}</b>
                ) : (
                  <code className="text-xs wrap-anywhere">
                    <UntrustedText text={value.saw} />
                  </code>
                ),
            })}
            : <b className="font-medium text-ink-2">{say(ANSWERS[value.answer])}</b>
            {value.answer === 'unknown' && t(', so it asks')}
          </span>
        </RuleTest>
      ))}
    </div>
  )
}

interface RequirementProps {
  readonly requirement: WireRequirement
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
}

function Requirement({ requirement, card, me }: RequirementProps) {
  return (
    <>
      <AskedFirst requirement={requirement} />
      <Unanswered requirement={requirement} card={card} me={me} />
      {requirement.added.map((one) => (
        <Suspense key={`${one.who} ${one.for}`} fallback={null}>
          <Added added={one} />
        </Suspense>
      ))}
    </>
  )
}

/** The people of a rule who can still answer. Those without an account are known by their address. */
function unanswered(
  { people = [], persons = [], met }: WireRequirement,
  { status, decisions }: ApprovalCard,
): readonly WirePerson[] {
  if (met || status !== 'pending') return []
  const answered = new Set(decisions.flatMap(({ by, void: gone }) => (gone ? [] : by.email)))
  return people
    .filter((email) => !answered.has(email))
    .map(
      (email) =>
        persons.find((one) => one.email === email) ?? { issuer: '', subject: email, email },
    )
}

/** Whom to ask when it takes long. */
function Unanswered({ requirement, card, me }: RequirementProps) {
  return unanswered(requirement, card).map((one) => {
    const mine = one.email === me?.email ? me : undefined
    return (
      <p key={one.email} data-unanswered="" className="flex items-center gap-2">
        <Avatar person={one} small />
        <span className="min-w-0 wrap-anywhere">
          {nameOf(mine ?? one)}
          {mine && ` (${t('you')})`}
        </span>
        <span className="ml-auto flex-none text-xs text-ink-3">{t('no answer yet')}</span>
      </p>
    )
  })
}

function AskedFirst({ requirement }: { requirement: WireRequirement }) {
  const { level, approvers, quorum, met } = requirement
  if (level === 'confirm' && quorum.length === 0) {
    return (
      <p className="text-xs leading-[18px] text-ink-2">
        {approvers.length === 0
          ? t('Any one signed-in person who may decide.')
          : t('Any one of: {approvers}.', {
              approvers: visibleText(approvers.map(approverWords).join(', ')),
            })}
      </p>
    )
  }
  return (
    <>
      {approvers.length > 0 && (
        <p className="flex justify-between gap-2 text-xs leading-5 text-ink-2">
          <span className="wrap-anywhere">
            {visibleText(approvers.map(approverWords).join(', '))}
          </span>
          <span className="flex-none text-ink-3">
            {quorum.length > 0
              ? t('one of them')
              : t('{have} of {need}', { have: met ? 1 : 0, need: 1 })}
          </span>
        </p>
      )}
      {quorum.map(({ group, n, have }) => (
        <p key={group} className="flex justify-between gap-2 text-xs leading-5 text-ink-2">
          <span className="wrap-anywhere">{visibleText(group)}</span>
          <span className="flex-none tabular-nums text-ink-3">
            {t('{have} of {need}', { have, need: n })}
          </span>
        </p>
      ))}
    </>
  )
}

function Votes({ card, me }: { card: ApprovalCard; me: WirePerson | undefined }) {
  const { decisions, edited, requirements } = card
  // Where people are named, each of them says so.
  if (decisions.length === 0 && requirements.some((one) => unanswered(one, card).length > 0))
    return null
  if (decisions.length === 0)
    return <p className="text-xs leading-5 text-ink-3">{t('No answers yet.')}</p>
  return (
    <ul className="mt-1 grid gap-0.5">
      {decisions.map((one) => (
        <li
          key={`${one.by.issuer} ${one.by.subject} ${one.digest} ${one.verdict}`}
          className="min-w-0"
        >
          <span className="flex items-center gap-2">
            <Avatar person={one.by} small />
            <span className="min-w-0 wrap-anywhere">
              {nameOf(one.by)}
              {isSame(one.by, me) && ` (${t('you')})`}
              {forNames(one.for)}
            </span>
            <span
              className={`ml-auto flex flex-none items-center gap-1 text-xs font-medium ${
                one.void ? 'text-ink-3' : one.verdict === 'approve' ? 'text-good' : 'text-bad'
              }`}
            >
              {one.verdict === 'approve' ? (
                <Check size={13} aria-hidden="true" />
              ) : (
                <X size={13} aria-hidden="true" />
              )}
              {one.verdict === 'approve' ? t('approved') : t('denied')}
              {one.void && t(', void')}
            </span>
          </span>
          {one.reason !== undefined && one.reason !== '' && (
            <p className="pl-7 text-xs wrap-anywhere text-ink-2">
              “<UntrustedText text={one.reason} />”
            </p>
          )}
        </li>
      ))}
      {edited.length > 0 && (
        <li className="text-xs leading-[17px] text-ink-3">
          {rich('{arguments} edited; answers before that are void.', {
            arguments: plural(edited.length, '{n} argument', '{n} arguments'),
          })}
        </li>
      )}
    </ul>
  )
}
