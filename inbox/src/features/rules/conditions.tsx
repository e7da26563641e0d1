import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { RuleClause, RuleDraft, RuleForm } from '../../../../src/api/policy/rules.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { OPERATOR_WORDS } from '../../lib/approval/operator-words.ts'
import { rich } from '../../lib/language/rich.ts'
import { midSentence, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { changedOperator, LISTS, operatorsFor, shownText, valueFrom } from './clause-value.ts'

interface ConditionsProps {
  readonly when: RuleForm['when']
  readonly call: RuleDraft['call']
  readonly onChange: (when: RuleForm['when']) => void
}

/** When the rule holds. Groups are alternatives; within a group all conditions must hold. */
export function Conditions({ when, call, onChange }: ConditionsProps) {
  const change = (at: number, group: readonly RuleClause[]) =>
    onChange(when.map((one, nth) => (nth === at ? group : one)).filter((one) => one.length > 0))
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1 font-medium">{t('When')}</legend>
      {when.length === 0 && (
        <p className="text-ink-2">{t('Always, whatever the arguments are.')}</p>
      )}
      {when.map((group, at) => (
        <div key={at} className="grid min-w-0 gap-2">
          {at > 0 && <p className="text-xs font-medium text-ink-3">{t('or')}</p>}
          <div className="grid min-w-0 gap-2 rounded-md border border-line bg-sunken p-2.5">
            {group.map((clause, nth) => (
              <Clause
                key={nth}
                clause={clause}
                label={
                  when.length > 1
                    ? t('Condition {nth} of alternative {at}', { nth: nth + 1, at: at + 1 })
                    : t('Condition {nth}', { nth: nth + 1 })
                }
                isFirst={nth === 0}
                call={call}
                onChange={(next) =>
                  change(
                    at,
                    next ? group.map((one, m) => (m === nth ? next : one)) : without(group, nth),
                  )
                }
              />
            ))}
            <AddClause
              label={t('And…')}
              call={call}
              taken={group.map(({ path }) => path)}
              onAdd={(clause) => change(at, [...group, clause])}
            />
          </div>
        </div>
      ))}
      <AddClause
        label={when.length === 0 ? t('Only when…') : t('Or when…')}
        call={call}
        taken={[]}
        onAdd={(clause) => onChange([...when, [clause]])}
      />
    </fieldset>
  )
}

const without = (group: readonly RuleClause[], at: number) => group.filter((_, nth) => nth !== at)

interface AddClauseProps {
  readonly label: string
  readonly call: RuleDraft['call']
  readonly taken: readonly string[]
  readonly onAdd: (clause: RuleClause) => void
}

function AddClause({ label, call: { args }, taken, onAdd }: AddClauseProps) {
  const open = args.filter(({ path }) => !taken.includes(path))
  if (open.length === 0) return null
  return (
    <label className="flex items-center gap-2 text-ink-2">
      <Plus size={14} aria-hidden="true" />
      <span className="sr-only">{label}</span>
      <select
        className="field max-w-full max-desk:min-h-11"
        value=""
        onChange={({ target }) => {
          const found = args.find(({ path }) => path === target.value)
          if (found) onAdd({ path: found.path, op: 'eq', value: found.value })
        }}
      >
        <option value="">{label}</option>
        {open.map(({ path }) => (
          <option key={path} value={path}>
            {visibleText(path)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ClauseProps {
  readonly clause: RuleClause
  readonly label: string
  readonly isFirst: boolean
  readonly call: RuleDraft['call']
  readonly onChange: (clause: RuleClause | undefined) => void
}

function Clause({ clause, label, isFirst, call: { args }, onChange }: ClauseProps) {
  const here = args.find(({ path }) => path === clause.path)
  const type = here === undefined ? undefined : typeof here.value
  const operators = operatorsFor(type)
  const [typed, setTyped] = useState<string>()
  const shared = {
    className: 'field w-full font-mono text-code max-desk:min-h-11',
    'aria-label': t('{label}, value', { label }),
    value: shownText(typed, clause, type),
  }
  const set = (text: string) => {
    setTyped(text)
    onChange({ ...clause, value: valueFrom(text, clause.op, type) })
  }
  return (
    <fieldset className="grid min-w-0 gap-1">
      <legend className="sr-only">{label}</legend>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto_minmax(0,1.2fr)_auto] items-start gap-2 max-desk:grid-cols-[minmax(0,1fr)_auto]">
        <span className="min-w-0 py-1.5 wrap-anywhere">
          {!isFirst && <span className="text-ink-3">{t('and')} </span>}
          <code>{visibleText(clause.path)}</code>
        </span>
        <select
          className="field max-desk:order-3 max-desk:col-span-full max-desk:min-h-11"
          aria-label={t('{label}, operator', { label })}
          value={clause.op}
          onChange={({ target }) =>
            onChange(changedOperator(clause, target.value as RuleClause['op'], type))
          }
        >
          {[...new Set([clause.op, ...operators])].map((op) => (
            <option key={op} value={op}>
              {say(OPERATOR_WORDS[op])}
            </option>
          ))}
        </select>
        <span className="min-w-0 max-desk:order-4 max-desk:col-span-full">
          {type === 'boolean' ? (
            <select {...shared} onChange={({ target }) => set(target.value)}>
              <option value="true">{t('true')}</option>
              <option value="false">{t('false')}</option>
            </select>
          ) : LISTS.includes(clause.op) ? (
            <textarea {...shared} rows={3} onChange={({ target }) => set(target.value)} />
          ) : (
            <input
              {...shared}
              type="text"
              autoComplete="off"
              inputMode={type === 'number' ? 'decimal' : 'text'}
              onChange={({ target }) => set(target.value)}
            />
          )}
        </span>
        <button
          type="button"
          className="icon-btn"
          aria-label={t('Remove {label}', { label: midSentence(label) })}
          onClick={() => onChange(undefined)}
        >
          <X size={14} aria-hidden="true" />
        </button>
      </div>
      {here !== undefined && (
        <p className="text-xs text-ink-3">
          {LISTS.includes(clause.op) && `${t('One value per line.')} `}
          {rich('In this call {code}', {
            code: (
              <code className="from-call">
                <UntrustedText text={String(here.value)} edges />
              </code>
            ),
          })}
        </p>
      )}
    </fieldset>
  )
}
