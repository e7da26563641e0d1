import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import type { GrantProposalAnswer } from '../../../../src/api/grant.ts'
import { grantProposalQuery } from '../../api/approvals.ts'
import { errorMessage } from '../../api/errors.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { rich } from '../../lib/language/rich.ts'
import { plural, say, t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { GrantRule } from '../grants/grant-rule.tsx'
import { ApproveButton } from './approve-button.tsx'
import { Bar, BarRow } from './bar.tsx'
import {
  FIRST_FORM,
  type GrantForm,
  LASTS,
  type Loosenable,
  loosenable,
  type Reach,
  wishOf,
} from './grant-wish.ts'
import { useArmed } from './use-armed.ts'
import type { Deciding } from './use-decide.ts'
import type { Seen } from './use-seen.ts'

interface BudgetProps {
  readonly form: GrantForm
  readonly args: readonly Loosenable[]
  readonly onChange: (part: Partial<GrantForm>) => void
}

/** A sum over all uses, of one number. */
function Budget({ form: { budget }, args, onChange }: BudgetProps) {
  const numbers = args.filter(({ value }) => typeof value === 'number')
  if (numbers.length === 0) return null
  return (
    <label className="flex items-center justify-between gap-2">
      {t('All uses together')}
      <select
        className="field max-w-[60%]"
        value={budget?.name ?? ''}
        onChange={({ target: { value: name } }) =>
          onChange({ budget: name === '' ? undefined : { name, most: budget?.most ?? 100 } })
        }
      >
        <option value="">{t('no limit on the sum')}</option>
        {numbers.map(({ name }) => (
          <option key={name} value={name}>
            {rich('{name}, at most…', { name: visibleText(name) })}
          </option>
        ))}
      </select>
      {budget && (
        <input
          type="number"
          min={0}
          step="any"
          className="field w-28"
          aria-label={t('{name} of all uses, at most', { name: visibleText(budget.name) })}
          value={budget.most}
          onChange={({ target }) =>
            onChange({ budget: { ...budget, most: target.valueAsNumber || 0 } })
          }
        />
      )}
    </label>
  )
}

/** What the rule would have done: the past is the only evidence there is. */
function Recorded({ recorded }: { recorded: NonNullable<GrantProposalAnswer['recorded']> }) {
  const { calls, covered, refused } = recorded
  if (calls === 0) return null
  return (
    <p className="border-t border-line pt-2 text-ink-2" role="status">
      {rich(
        'Would have let through {covered} other recorded calls of this agent and tool. {part}',
        {
          covered: <b className="text-ink">{t('{covered} of {calls}', { covered, calls })}</b>,
          part: refused > 0 && (
            <span className="text-bad">
              {plural(
                refused,
                'One of them was denied or edited.',
                '{n} of them were denied or edited.',
              )}
            </span>
          ),
        },
      )}
    </p>
  )
}

interface GrantPanelProps {
  readonly card: ApprovalCard
  readonly seen: Seen
  readonly deciding: Deciding
  readonly reason: string
  readonly onBack: () => void
}

/** A yes to this call and, within limits, to later ones like it. */
export function GrantPanel({ card, seen, deciding, reason, onBack }: GrantPanelProps) {
  const [form, setForm] = useState<GrantForm>(FIRST_FORM)
  const args = loosenable(card)
  const wish = wishOf(form, args)
  const { data: proposal, error } = useQuery(grantProposalQuery(card, wish))
  const armed = useArmed(`${card.id} ${card.digest} ${JSON.stringify(proposal?.rule)}`)
  const ready = proposal?.may === true && seen.all && !deciding.busy
  useShortcuts({ Escape: onBack })
  const change = (part: Partial<GrantForm>) => setForm({ ...form, ...part })
  const send = () => {
    const words = reason.trim() === '' ? {} : { reason: reason.trim() }
    void deciding.send({ verdict: 'approve', grant: wish, ...words })
  }
  return (
    <Bar label={t('Grant calls like this one')}>
      <h3 className="flex items-center gap-[7px]">
        <KeyRound size={16} className="text-accent" aria-hidden="true" />
        {t('Grant calls like this one')}
        <span className="font-normal text-ink-3 max-desk:hidden">
          {t('They run without asking. Each use is recorded; you can revoke it at any time.')}
        </span>
      </h3>
      <div className="grid max-h-[46dvh] grid-cols-2 gap-4 overflow-auto max-desk:grid-cols-1">
        <div className="grid content-start gap-2">
          <div className="flex flex-wrap items-center gap-3">
            <label className="flex items-center gap-2">
              {t('Uses, at most')}
              <input
                type="number"
                min={1}
                max={10_000}
                className="field w-24"
                value={form.uses}
                onChange={({ target }) =>
                  change({
                    uses: Math.min(10_000, Math.max(1, Math.trunc(target.valueAsNumber) || 1)),
                  })
                }
              />
            </label>
            <label className="flex items-center gap-2">
              {t('Ends after')}
              <select
                className="field"
                value={form.lasts}
                onChange={({ target }) => change({ lasts: target.value })}
              >
                {LASTS.map(([value, words]) => (
                  <option key={value} value={value}>
                    {say(words)}
                  </option>
                ))}
              </select>
            </label>
          </div>
          {card.run !== undefined && (
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                className="size-4"
                checked={form.anyRun}
                onChange={({ target }) => change({ anyRun: target.checked })}
              />
              {t('In other runs of this agent too')}
            </label>
          )}
          {args.map(({ name, value }) => (
            <label key={name} className="flex items-center justify-between gap-2">
              <code className="wrap-anywhere">{visibleText(name)}</code>
              <select
                className="field max-w-[60%]"
                value={form.reach[name] ?? 'exact'}
                onChange={({ target }) =>
                  change({ reach: { ...form.reach, [name]: target.value as Reach } })
                }
              >
                <option value="exact">{t('exactly as here')}</option>
                {typeof value === 'number' && (
                  <option value="most">{t('from 0 to at most…')}</option>
                )}
                <option value="any">{t('anything')}</option>
              </select>
              {typeof value === 'number' && form.reach[name] === 'most' && (
                <input
                  type="number"
                  min={0}
                  step="any"
                  className="field w-28"
                  aria-label={t('{name}, at most', { name: visibleText(name) })}
                  value={form.most[name] ?? value}
                  onChange={({ target }) =>
                    change({ most: { ...form.most, [name]: target.valueAsNumber || 0 } })
                  }
                />
              )}
            </label>
          ))}
          <Budget form={form} args={args} onChange={change} />
          {args.length === 0 && (
            <p className="text-xs text-ink-3">
              {t(
                'All arguments exactly equal. Limits can be chosen where every argument is a plain, visible value.',
              )}
            </p>
          )}
        </div>
        <section
          aria-label={t('This exact rule is saved')}
          className="frame content-start gap-2 bg-sunken px-3 py-2"
        >
          <h4 className="pb-1 text-xs text-ink-3">{t('This exact rule is saved')}</h4>
          {proposal === undefined ? (
            <p className="text-ink-3">{error ? errorMessage(error) : t('Working it out.')}</p>
          ) : (
            <GrantRule rule={proposal.rule} />
          )}
          {proposal?.recorded !== undefined && <Recorded recorded={proposal.recorded} />}
        </section>
      </div>
      <ErrorMessage text={deciding.problem} />
      <BarRow>
        <p className="text-ink-2" role="status">
          {proposal?.may === false
            ? visibleText(proposal.why ?? t('You cannot make this grant.'))
            : !seen.all && t('Read the call to its end first.')}
        </p>
        <span className="flex-1 max-desk:hidden" />
        <button type="button" className="btn" onClick={onBack}>
          {t('Go back')} <KeyCap>Esc</KeyCap>
        </button>
        <ApproveButton risk={card.risk} ready={ready} armed={armed} onApprove={send}>
          {t('Approve and grant')}
        </ApproveButton>
      </BarRow>
    </Bar>
  )
}
