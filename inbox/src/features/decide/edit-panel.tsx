import { Check, Info, Pencil, TriangleAlert, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ApprovalCard, WireCompleted } from '../../../../src/api/approval.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { KeyCap } from '../../components/key-cap.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { ValueField } from '../../components/value-field.tsx'
import { applyEdits, type EditField, fieldsOf, writeField } from '../../lib/arguments/edit-form.ts'
import { samePath } from '../../lib/arguments/values.ts'
import { rich } from '../../lib/language/rich.ts'
import { plural, t } from '../../lib/language/t.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { ApproveButton } from './approve-button.tsx'
import { Bar, BarRow } from './bar.tsx'
import type { Draft } from './drafts.ts'
import type { Filling } from './use-answers.ts'
import { useArmed } from './use-armed.ts'
import type { Deciding } from './use-decide.ts'
import type { Seen } from './use-seen.ts'

interface EditPanelProps {
  readonly card: ApprovalCard
  readonly seen: Seen
  readonly deciding: Deciding
  readonly draft: Draft
  readonly filling: Filling | undefined
  readonly onBack: () => void
}

const nameOf = ({ keys }: Pick<EditField, 'keys'>) => JSON.stringify(keys)

/** An approval of another call than the one asked for: what changes is shown beside what was. */
export function EditPanel({ card, seen, deciding, draft, filling, onBack }: EditPanelProps) {
  const fields = fieldsOf(card)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => back.current?.focus({ preventScroll: true }), [])
  useShortcuts({ Escape: onBack })
  const textOf = (field: EditField) => typed[nameOf(field)] ?? writeField(field)
  const refusedAt = ({ keys }: EditField) =>
    deciding.at !== undefined && samePath(deciding.at, keys) ? deciding.problem : undefined
  const edited = applyEdits(card, fields, textOf)
  const { completed } = deciding
  const armed = useArmed(
    `${card.revision} ${edited.changed.length > 0} ${edited.wrong.length} ${completed?.digest}`,
  )
  const { changed, wrong } = edited
  const needsReason = card.terms.reason === 'required_always' && draft.reason.trim() === ''
  const ready =
    seen.all && changed.length > 0 && wrong.length === 0 && !deciding.busy && !needsReason
  const send = () => {
    const reason = draft.reason.trim()
    const answers = filling ? filling.take() : {}
    if (answers === undefined) return
    void deciding.send({
      verdict: 'approve',
      edit: { arguments: completed ? completed.arguments : edited.arguments },
      ...(reason === '' ? {} : { reason }),
      ...answers,
    })
  }
  return (
    <Bar label={t('Approve with edits')}>
      <header className="flex items-center gap-2.5">
        <h3 className="flex items-center gap-[7px]">
          <Pencil size={15} className="text-accent" aria-hidden="true" />
          {t('Approve with edits')}
        </h3>
        <span className="text-ink-3 max-desk:hidden">
          {t('Only what the policy lets you change.')}
        </span>
        <span className="flex-1" />
        <button type="button" className="icon-btn" aria-label={t('Close')} onClick={onBack}>
          <X size={16} aria-hidden="true" />
        </button>
      </header>
      {completed ? <Completed completed={completed} /> : <ErrorMessage text={deciding.problem} />}
      <div className="grid max-h-[38dvh] grid-cols-2 gap-3.5 overflow-auto p-0.5 max-desk:grid-cols-1">
        {fields.map((field) => (
          <ValueField
            key={nameOf(field)}
            field={field}
            text={textOf(field)}
            change={changed.find(({ keys }) => samePath(keys, field.keys))}
            why={wrong.find(({ keys }) => samePath(keys, field.keys))?.why ?? refusedAt(field)}
            onText={(text) => {
              deciding.clear()
              setTyped({ ...typed, [nameOf(field)]: text })
            }}
          />
        ))}
      </div>
      <Consequences changed={changed.length} wrong={wrong.length} />
      <BarRow>
        <p className="text-ink-2">
          {!seen.all
            ? t('Scroll through the whole call first.')
            : needsReason
              ? t('A reason is required: go back and write one.')
              : changed.length === 0
                ? t('Change something, or keep the original.')
                : rich('Your yes is {need} for the edited call.', {
                    need: <b>{rich('1 of {need}', { need: card.met.need })}</b>,
                  })}
        </p>
        <span className="flex-1 max-desk:hidden" />
        <button ref={back} type="button" className="btn" onClick={onBack}>
          {t('Keep the original')} <KeyCap>Esc</KeyCap>
        </button>
        <ApproveButton risk={card.risk} ready={ready} armed={armed} onApprove={send}>
          {completed ? t('Approve completed call') : t('Approve edited call')}
        </ApproveButton>
      </BarRow>
    </Bar>
  )
}

/** What would run besides what was typed: nothing of it counts before it was on screen. */
function Completed({ completed }: { completed: WireCompleted }) {
  return (
    <section role="alert" className="grid gap-1.5 rounded-md bg-warn-soft px-3 py-2">
      <p>
        {t(
          'The tool’s schema completes your edit. This would run besides what you typed; approve again if you agree.',
        )}
      </p>
      <ul className="grid max-h-[24dvh] gap-1 overflow-auto">
        {completed.added.map((keys) => (
          <li key={JSON.stringify(keys)} className="wrap-anywhere">
            {rich('{b} (added) {code}', {
              b: (
                <b>
                  <UntrustedText text={keys.join('.')} />
                </b>
              ),
              code: (
                <code>
                  <UntrustedText
                    text={JSON.stringify(valueAt(completed.arguments, keys)) ?? 'taken out'}
                  />
                </code>
              ),
            })}
          </li>
        ))}
      </ul>
    </section>
  )
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<string, unknown>>)[key]
        : undefined,
    value,
  )
}

function Consequences({ changed, wrong }: { changed: number; wrong: number }) {
  const fits = wrong === 0
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-ink-2">
      <li className="flex items-center gap-1.5">
        {fits ? (
          <Check size={14} className="text-good" aria-hidden="true" />
        ) : (
          <TriangleAlert size={14} className="text-bad" aria-hidden="true" />
        )}
        {fits
          ? plural(changed, '{n} change', '{n} changes')
          : t('{values} to correct', { values: plural(wrong, '{n} value', '{n} values') })}
      </li>
      <li className="flex items-center gap-1.5">
        <Info size={14} className="text-ink-3" aria-hidden="true" />
        {t('Schema and policy are checked again')}
      </li>
      <li className="flex items-center gap-1.5">
        <Info size={14} className="text-ink-3" aria-hidden="true" />
        {t('New digest; votes start over at yours')}
      </li>
      <li className="flex items-center gap-1.5">
        <Info size={14} className="text-ink-3" aria-hidden="true" />
        {t('The agent is told what changed')}
      </li>
    </ul>
  )
}
