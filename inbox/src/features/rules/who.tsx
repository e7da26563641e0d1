import type { RuleForm } from '../../../../src/api/policy/rules.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

interface WhoProps {
  readonly rule: RuleForm
  readonly groups: readonly string[]
  readonly onChange: (part: Partial<RuleForm>) => void
}

const ANYONE = '*'

/** Who decides, and how many of them. */
export function Who({ rule, groups, onChange }: WhoProps) {
  const emails = rule.approvers.filter(
    (one): one is string => typeof one === 'string' && one !== ANYONE,
  )
  const chosen = new Set(
    rule.approvers.flatMap((one) => (typeof one === 'string' ? [] : [one.group])),
  )
  const approvers = (parts: { any?: boolean; groups?: ReadonlySet<string>; emails?: string[] }) => {
    const any = parts.any ?? rule.approvers.includes(ANYONE)
    onChange({
      approvers: [
        ...(any ? [ANYONE] : []),
        ...[...(parts.groups ?? chosen)].map((group) => ({ group })),
        ...(parts.emails ?? emails),
      ],
    })
  }
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1 font-medium">{t('Who decides')}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1.5">
        <Tick
          label={t('Anyone with the approver role')}
          isOn={rule.approvers.includes(ANYONE)}
          onChange={(any) => approvers({ any })}
        />
        {groups.map((group) => (
          <Tick
            key={group}
            label={t('Anyone of {group}', { group: visibleText(group) })}
            isOn={chosen.has(group)}
            onChange={(isOn) => {
              const next = new Set(chosen)
              if (isOn) next.add(group)
              else next.delete(group)
              approvers({ groups: next })
            }}
          />
        ))}
      </div>
      <label className="grid gap-1 text-ink-2">
        {t('People, by address, one per line')}
        <textarea
          className="field w-full font-mono text-code"
          rows={Math.max(1, emails.length)}
          value={emails.join('\n')}
          onChange={({ target }) => approvers({ emails: target.value.split('\n') })}
          onBlur={() => approvers({ emails: emails.map((one) => one.trim()).filter(Boolean) })}
        />
      </label>
      {groups.map((group) => {
        const part = rule.quorum.find((one) => one.group === group)
        return (
          <label key={group} className="flex flex-wrap items-center gap-2 text-ink-2">
            <input
              type="number"
              min={0}
              max={100}
              className="field w-20 max-desk:min-h-11"
              value={part?.n ?? 0}
              onChange={({ target }) => {
                const n = Math.max(0, Math.min(100, Math.trunc(target.valueAsNumber) || 0))
                const others = rule.quorum.filter((one) => one.group !== group)
                onChange({ quorum: n === 0 ? others : [...others, { group, n }] })
              }}
            />
            {rich('of {group} must agree', { group: visibleText(group) })}
          </label>
        )
      })}
    </fieldset>
  )
}

interface TickProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <label className="flex min-h-6 items-center gap-2 max-desk:min-h-9">
      <input
        type="checkbox"
        className="size-4 flex-none accent-accent-fill"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span className="wrap-anywhere">{label}</span>
    </label>
  )
}
