import { useQuery } from '@tanstack/react-query'
import { FileClock, Minus, Plus } from 'lucide-react'
import type { PolicyDraft as Draft, DraftRule } from '../../../../src/api/policy.ts'
import { draftQuery, useApplyPolicy } from '../../api/policy.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { TwoSteps } from '../../components/two-steps.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

/** What the files say now and what is in force, where they differ. For admins. */
export function PolicyDraft() {
  const { data: draft } = useQuery(draftQuery)
  if (!draft?.changed) return null
  return <Changed key={draft.name} draft={draft} />
}

function Changed({ draft }: { draft: Draft }) {
  const apply = useApplyPolicy()
  const { name, added = [], removed = [] } = draft
  return (
    <section aria-label={t('Changed on disk')} className="frame border-warn-line">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5">
        <FileClock size={16} className="flex-none text-warn" aria-hidden="true" />
        <h2 className="text-md">{t('Changed on disk, not active')}</h2>
        <span className="flex-1" />
        {name !== undefined && (
          <TwoSteps
            first={t('Apply')}
            question={t('Apply the changed policy?')}
            says={t('In force at once, for every call.')}
            keep={t('Go back')}
            deed={t('Apply exactly this')}
            busy={apply.isPending}
            onDeed={(close) => apply.mutate(name, { onSettled: close })}
          />
        )}
      </header>
      <ErrorMessage error={apply.error} />
      {draft.problem !== undefined && (
        <p className="px-4 py-2 wrap-anywhere whitespace-pre-wrap text-bad">
          {rich('{value} What is in force stays in force.', {
            value: <UntrustedText text={draft.problem.message.replaceAll('\n', ' · ')} />,
          })}
        </p>
      )}
      <ul className="grid gap-1 px-4 py-2.5">
        {removed.map((rule) => (
          <Rule key={`- ${rule.source} ${rule.name} ${rule.words}`} rule={rule} isGone />
        ))}
        {added.map((rule) => (
          <Rule key={`+ ${rule.source} ${rule.name} ${rule.words}`} rule={rule} isGone={false} />
        ))}
        {name !== undefined && added.length + removed.length === 0 && (
          <li className="text-ink-2">
            {t(
              'No rule, group or way to a server reads differently; something else in the files does.',
            )}
          </li>
        )}
      </ul>
    </section>
  )
}

function Rule({ rule, isGone }: { rule: DraftRule; isGone: boolean }) {
  const Icon = isGone ? Minus : Plus
  return (
    <li className="grid grid-cols-[16px_minmax(0,1fr)] items-start gap-2">
      <Icon size={14} aria-hidden="true" className="mt-1 text-ink-3" />
      <span className="wrap-anywhere">
        <span className="sr-only">{isGone ? `${t('Taken out:')} ` : `${t('New:')} `}</span>
        <b>
          <UntrustedText text={rule.name} />
        </b>{' '}
        <UntrustedText text={`${rule.words} · ${rule.asks}`} />
        {rule.details.length > 0 && (
          <span className="block text-xs text-ink-3">
            <UntrustedText text={rule.details.join(' · ')} />
          </span>
        )}
      </span>
    </li>
  )
}
