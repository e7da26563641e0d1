import { computedRisk } from '../../../../src/api/studio/risk.ts'
import type { WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { higherRisk } from '../../../../src/base/call.ts'
import { rich } from '../../lib/language/rich.ts'
import { t, tell } from '../../lib/language/t.ts'

type Hitl = WireToolSpec['hitl']
type Risk = NonNullable<WireToolSpec['risk']>

const RISKS: readonly Risk[] = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5']

/** As the server computes it, while the form is filled in. */
export function riskOf({ capabilities, risk }: Pick<WireToolSpec, 'capabilities' | 'risk'>) {
  const computed = computedRisk(capabilities, tell)
  const highest = higherRisk(computed.risk, risk) ?? computed.risk
  const why = highest === computed.risk ? computed.why : t('its author says so')
  return { computed: computed.risk, risk: highest, why }
}

/** What is asked without a question of its own. The gate writes it, in English. */
const PLAIN_QUESTION = "Run '{toolName}' with arguments {args}?"

interface ApprovalFormProps {
  readonly spec: WireToolSpec
  readonly onSpec: (some: Partial<WireToolSpec>) => void
}

/** Whether people are asked, and with which words. */
export function ApprovalForm({ spec, onSpec }: ApprovalFormProps) {
  const { hitl } = spec
  const { computed } = riskOf(spec)
  const isAsked = hitl.mode === 'REQUIRED'
  const setPrompt = (prompt: string) => {
    const { prompt: _, ...rest } = hitl
    onSpec({ hitl: prompt === '' ? rest : { ...rest, prompt } })
  }
  return (
    <fieldset className="grid min-w-0 gap-2.5">
      <legend className="mb-1.5 text-md font-semibold">{t('Human in the loop')}</legend>
      <span className="flex items-center gap-2">
        <button
          type="button"
          role="switch"
          aria-checked={isAsked}
          aria-label={t('Ask a person before each call')}
          className="switch"
          onClick={() => onSpec({ hitl: { ...hitl, mode: isAsked ? 'DISABLED' : 'REQUIRED' } })}
        >
          <span className="switch-thumb" />
        </button>
        <span>
          {isAsked ? t('Required: a person is asked before each call') : t('Disabled: it runs')}
        </span>
      </span>
      {isAsked && (
        <label className="grid gap-1 text-xs text-ink-3">
          {t('Question')}
          <input
            className="field"
            maxLength={1000}
            placeholder={PLAIN_QUESTION}
            value={hitl.prompt ?? ''}
            onChange={({ target }) => setPrompt(target.value)}
          />
        </label>
      )}
      <label className="grid gap-1 text-xs text-ink-3">
        {t('Risk, at least')}
        <select
          className="field"
          value={spec.risk ?? ''}
          onChange={({ target }) => onSpec(riskChoice(target.value))}
        >
          <option value="">{rich('as computed: {computed}', { computed })}</option>
          {RISKS.filter((one) => one > computed).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
    </fieldset>
  )
}

function riskChoice(text: string): Partial<WireToolSpec> {
  const risk = RISKS.find((one) => one === text)
  return { risk: risk as Risk }
}

/** Without members that are not there: JSON knows no undefined. */
export function tidy({ risk, ...spec }: WireToolSpec): WireToolSpec {
  return risk === undefined ? spec : { ...spec, risk }
}

export function defaultMode(risk: Risk): Hitl['mode'] {
  return risk === 'L0' ? 'DISABLED' : 'REQUIRED'
}
