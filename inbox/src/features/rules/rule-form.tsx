import type { RuleDraft, RuleForm } from '../../../../src/api/policy/rules.ts'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { Conditions } from './conditions.tsx'
import { Who } from './who.tsx'

interface FormProps {
  readonly rule: RuleForm
  readonly draft: RuleDraft
  readonly onChange: (rule: RuleForm) => void
}

const VERDICTS: readonly (readonly [RuleForm['verdict'], Message])[] = [
  ['allow', msg('Never ask')],
  ['confirm', msg('Ask one person')],
  ['review', msg('Ask other people')],
  ['deny', msg('Deny')],
]

const PLACES: Readonly<Record<RuleForm['place'], readonly [Message, Message]>> = {
  tool: [
    msg("The tool's own rule"),
    msg('Replaces what the file says of this tool. It can also ask less.'),
  ],
  extra: [msg('An extra rule'), msg('Stands beside all other rules and can only ask more.')],
}

/** One rule without its YAML. Every part of it stands in the text beside it. */
export function RuleFormFields({ rule, draft, onChange }: FormProps) {
  const change = (part: Partial<RuleForm>) => onChange({ ...rule, ...part })
  const asks = rule.verdict === 'confirm' || rule.verdict === 'review'
  return (
    <div className="grid min-w-0 content-start gap-4 px-4 py-3">
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">{t('Where it stands')}</legend>
        {draft.places.map((place) => (
          <label key={place} className="flex min-h-6 items-start gap-2 max-desk:min-h-9">
            <input
              type="radio"
              name="place"
              className="mt-0.5 size-4 flex-none accent-accent-fill"
              checked={rule.place === place}
              onChange={() => onChange(moved(rule, place, draft))}
            />
            <span>
              {say(PLACES[place][0])}
              <span className="block text-xs text-ink-3">{say(PLACES[place][1])}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {rule.place === 'extra' && (
        <label className="grid gap-1 text-ink-2">
          {t('Name of the rule')}
          <input
            className="field w-full font-mono text-code max-desk:min-h-11"
            value={rule.id ?? ''}
            onChange={({ target }) => change({ id: target.value })}
          />
        </label>
      )}
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">{t('Answer')}</legend>
        <span className="seg flex-wrap">
          {VERDICTS.filter(([word]) => word !== (rule.place === 'tool' ? 'deny' : 'allow')).map(
            ([word, says]) => (
              <button
                key={word}
                type="button"
                aria-pressed={rule.verdict === word}
                onClick={() => change({ verdict: word })}
              >
                {say(says)}
              </button>
            ),
          )}
        </span>
      </fieldset>
      {rule.verdict !== 'allow' && (
        <Conditions when={rule.when} call={draft.call} onChange={(when) => change({ when })} />
      )}
      {rule.verdict === 'review' && <Who rule={rule} groups={draft.groups} onChange={change} />}
      {rule.verdict === 'deny' && (
        <TextField
          label={t('What the agent is told')}
          value={rule.told}
          onChange={(told) => onChange(set(rule, 'told', told))}
        />
      )}
      {asks && (
        <fieldset className="grid min-w-0 grid-cols-3 gap-2 max-desk:grid-cols-1">
          <legend className="mb-1 font-medium">{t('Clocks')}</legend>
          {CLOCKS.map(([key, label, example]) => (
            <TextField
              key={key}
              label={say(label)}
              placeholder={say(example)}
              value={rule[key]}
              onChange={(text) => onChange(set(rule, key, text))}
            />
          ))}
        </fieldset>
      )}
      {asks && (
        <label className="grid gap-1 text-ink-2">
          {t('Reason')}
          <select
            className="field max-desk:min-h-11"
            value={rule.reason ?? ''}
            onChange={({ target }) =>
              onChange(set(rule, 'reason', target.value as NonNullable<RuleForm['reason']> | ''))
            }
          >
            <option value="">{t('As elsewhere')}</option>
            <option value="optional">{t('Optional')}</option>
            <option value="required">{t('A no needs one')}</option>
            <option value="required_always">{t('Every answer needs one')}</option>
          </select>
        </label>
      )}
    </div>
  )
}

const CLOCKS = [
  ['decideBy', msg('Decide within'), msg('such as 4h')],
  ['useBy', msg('A yes can be used for'), msg('such as 15m')],
  ['remindAfter', msg('Reminder after'), msg('such as 1h')],
] as const

/** An empty field is a key that is not in the file. */
function set<K extends 'decideBy' | 'useBy' | 'remindAfter' | 'told' | 'reason'>(
  rule: RuleForm,
  key: K,
  value: RuleForm[K] | '',
): RuleForm {
  const { [key]: _, ...rest } = rule
  return value === '' || value === undefined ? (rest as RuleForm) : { ...rule, [key]: value }
}

/** A place has answers of its own: nothing is denied by a tool's rule, and nothing allowed by an extra one. */
function moved(rule: RuleForm, place: RuleForm['place'], draft: RuleDraft): RuleForm {
  const verdict = rule.verdict === 'allow' || rule.verdict === 'deny' ? 'review' : rule.verdict
  const { id, told: _, ...rest } = rule
  return place === 'tool'
    ? { ...rest, place, verdict }
    : { ...rest, place, verdict, id: id ?? freeName(draft) }
}

/** A name that stands nowhere in the file: a rule under a taken one would replace that. */
function freeName({ call, disk, text }: RuleDraft): string {
  const base = `ask-${call.tool}`
  let name = base
  for (let n = 2; disk.includes(name) || text.includes(name); n += 1) name = `${base}-${n}`
  return name
}

interface TextFieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly placeholder?: string
  readonly onChange: (text: string) => void
}

function TextField({ label, value = '', placeholder, onChange }: TextFieldProps) {
  return (
    <label className="grid content-start gap-1 text-ink-2">
      {label}
      <input
        className="field w-full max-desk:min-h-11"
        autoComplete="off"
        value={value}
        placeholder={placeholder}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}
