import type { ReactNode } from 'react'
import type { ApprovalRow } from '../../../../src/api/approval.ts'
import { say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { ViewsDialog } from '../views/views-dialog.tsx'
import { ASKED, type ListView, toolOf, writeView } from './list-view.ts'

interface ListViewsProps {
  readonly view: ListView
  /** Everything that waits, before the filters. */
  readonly rows: readonly ApprovalRow[]
  readonly onChange: (change: Partial<ListView>) => void
  readonly onClose: () => void
}

/** Filters that few people need every day, and what they saved of them. */
export function ListViews({ view, rows, onChange, onClose }: ListViewsProps) {
  const names = (of: (row: ApprovalRow) => string | undefined) =>
    [...new Set(rows.flatMap((row) => of(row) ?? []))].toSorted((one, two) =>
      one.localeCompare(two, 'en'),
    )
  return (
    <ViewsDialog
      title={t('Filters and saved views')}
      page="inbox"
      query={writeView(view)}
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-3 max-desk:grid-cols-1">
        <Choice
          label={t('Agent')}
          any={t('Any agent')}
          value={view.agent}
          names={names(({ agent }) => agent)}
          onChange={(agent) => onChange({ agent })}
        />
        <Choice
          label={t('Tool')}
          any={t('Any tool')}
          value={view.tool}
          names={names(toolOf)}
          onChange={(tool) => onChange({ tool })}
        />
        <Choice
          label={t('For whom')}
          any={t('Any person')}
          value={view.person}
          names={names(({ principal }) => principal)}
          onChange={(person) => onChange({ person })}
        />
        <Named label={t('When it was asked')}>
          <select
            className="field w-full"
            value={view.asked}
            onChange={({ target }) => onChange({ asked: target.value as ListView['asked'] })}
          >
            {Object.entries(ASKED).map(([asked, { name }]) => (
              <option key={asked} value={asked}>
                {say(name)}
              </option>
            ))}
          </select>
        </Named>
      </div>
    </ViewsDialog>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly any: string
  readonly value: string
  readonly names: readonly string[]
  readonly onChange: (value: string) => void
}

function Choice({ label, any, value, names, onChange }: ChoiceProps) {
  // What a saved view names may not be waiting now.
  const known = value === '' || names.includes(value) ? names : [value, ...names]
  return (
    <Named label={label}>
      <select
        className="field w-full"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">{any}</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </Named>
  )
}

function Named({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className="grid gap-1">
      <span className="text-xs font-medium text-ink-2">{label}</span>
      {children}
    </label>
  )
}
