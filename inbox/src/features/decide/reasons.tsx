import type { RefObject } from 'react'
import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { KeyCap } from '../../components/key-cap.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { msg, say, t } from '../../lib/language/t.ts'

const USUAL = [msg('I did not expect this'), msg('The values are wrong'), msg('Not now')] as const

interface Preset {
  readonly text: string
  /** The policy offers it for this answer alone. */
  readonly for?: 'no' | 'yes'
}

/** As many as have a key. */
export const MOST_KEYS = 9

/** What the policy offers for this call, or what fits most calls. The first nine have a key. */
export function presetsOf({ reasons }: Pick<ApprovalCard, 'reasons'>): readonly Preset[] {
  const { deny, approve = [] } = reasons ?? {}
  const no = (deny ?? USUAL.map(say)).map((text): Preset => ({ text }))
  if (approve.length === 0) return no
  return [
    ...no.map(({ text }): Preset => ({ text, for: 'no' })),
    ...approve.map((text): Preset => ({ text, for: 'yes' })),
  ]
}

interface ReasonsProps {
  readonly presets?: readonly Preset[]
  readonly reason: string
  readonly field: RefObject<HTMLInputElement | null>
  /** Shown when a decision is sent without a reason. */
  readonly wanted: string
  readonly onReason: (reason: string) => void
}

/** Why not, in a click or in own words. The agent reads it. */
export function Reasons(props: ReasonsProps) {
  const { presets = presetsOf({}), reason, field, wanted, onReason } = props
  return (
    <div className="grid gap-1">
      <div className="flex items-center gap-1.5 overflow-x-auto max-vast:-mx-3 max-vast:px-3 py-0.5 [scrollbar-width:none] @max-[700px]:block">
        <span className="mr-1 text-xs text-ink-3 max-vast:hidden">{t('Reason')}</span>
        <div className="contents gap-1.5 overflow-x-auto [scrollbar-width:none] @max-[700px]:flex">
          {presets.map(({ text: preset, for: only }, at) => (
            <button
              key={`${only} ${preset}`}
              type="button"
              aria-pressed={reason === preset}
              className={`inline-flex h-[30px] flex-none items-center gap-[7px] rounded-md border px-2 whitespace-nowrap hover:bg-hover max-desk:h-9 ${
                reason === preset
                  ? 'border-accent bg-accent-soft text-accent'
                  : 'border-frame text-ink-2'
              }`}
              onClick={() => onReason(reason === preset ? '' : preset)}
            >
              {at < MOST_KEYS && (
                <span className="@max-[700px]:hidden">
                  <KeyCap>{String(at + 1)}</KeyCap>
                </span>
              )}
              {only !== undefined && (
                <span className="text-ink-3">{only === 'no' ? t('no') : t('yes')}:</span>
              )}
              <UntrustedText text={preset} />
            </button>
          ))}
        </div>
        <input
          ref={field}
          type="text"
          className={`field flex-1 @max-[700px]:mt-1.5 @max-[700px]:w-full max-vast:order-first max-vast:min-w-56 max-desk:h-9 ${presets.length > 3 ? 'order-first min-w-56' : 'min-w-40'}`}
          aria-label={t('Write a reason')}
          aria-invalid={wanted !== ''}
          placeholder={t('Write a reason. The agent reads it.')}
          maxLength={2_000}
          value={reason}
          onChange={({ target }) => onReason(target.value)}
        />
      </div>
      {wanted !== '' && (
        <p role="alert" className="text-xs text-bad">
          {wanted}
        </p>
      )}
    </div>
  )
}
