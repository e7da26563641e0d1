import type { RefObject } from 'react'
import { KeyCap } from '../../components/key-cap.tsx'

export const PRESETS = ['I did not expect this', 'The values are wrong', 'Not now'] as const

interface ReasonsProps {
  readonly reason: string
  readonly field: RefObject<HTMLInputElement | null>
  /** Shown when a decision is sent without a reason. */
  readonly wanted: string
  readonly onReason: (reason: string) => void
}

/** Why not, in a click or in own words. The agent reads it. */
export function Reasons({ reason, field, wanted, onReason }: ReasonsProps) {
  return (
    <div className="grid gap-1">
      <div className="flex items-center gap-1.5 max-vast:-mx-3 max-vast:overflow-x-auto max-vast:px-3 max-vast:[scrollbar-width:none] max-vast:py-0.5">
        <span className="mr-1 text-xs text-ink-3 max-vast:hidden">Reason</span>
        {PRESETS.map((preset, at) => (
          <button
            key={preset}
            type="button"
            aria-pressed={reason === preset}
            className={`inline-flex h-[30px] flex-none items-center gap-[7px] rounded-md border px-2 whitespace-nowrap hover:bg-hover max-desk:h-9 ${
              reason === preset
                ? 'border-accent bg-accent-soft text-accent'
                : 'border-frame text-ink-2'
            }`}
            onClick={() => onReason(reason === preset ? '' : preset)}
          >
            <KeyCap>{String(at + 1)}</KeyCap>
            {preset}
          </button>
        ))}
        <input
          ref={field}
          type="text"
          className="field min-w-40 flex-1 max-vast:order-first max-vast:min-w-56 max-desk:h-9"
          aria-label="Write a reason"
          aria-invalid={wanted !== ''}
          placeholder="Write a reason. The agent reads it."
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
