import { Eye, EyeOff } from 'lucide-react'
import { useEffect } from 'react'
import type { ApprovalCard } from '../../../../../src/api/approval.ts'
import { useReveal } from '../../../api/approvals.ts'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { UntrustedLines, UntrustedText } from '../../../components/untrusted-text.tsx'
import type { Json, ValueRow } from '../../../lib/arguments/values.ts'
import { t } from '../../../lib/language/t.ts'

/** Long enough to read it, short enough for an unattended screen. */
const SHOWN_MS = 20_000

interface MaskedProps {
  readonly card: Pick<ApprovalCard, 'id' | 'digest' | 'can'>
  readonly row: ValueRow
}

/** A masked value. A permitted reader can reveal it for a moment, after the reveal was recorded. */
export function Masked({ card, row }: MaskedProps) {
  const reveal = useReveal(card)
  const value = reveal.data?.value
  // Forgets it as well: a write's result lives as long as its hook holds it.
  const hide = reveal.reset
  useHiding(value !== undefined, hide)
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-2">
      {value === undefined ? <Hidden value={row.value} /> : <Shown value={value} />}
      {value !== undefined ? (
        <button type="button" className="link font-sans" onClick={hide}>
          <EyeOff size={13} aria-hidden="true" /> {t('Hide')}
        </button>
      ) : (
        card.can.includes('reveal') && (
          <button
            type="button"
            className="link font-sans"
            aria-label={t('Show {value}', { value: row.keys.at(-1) ?? t('the value') })}
            title={t('It is recorded that you looked')}
            onClick={() => reveal.mutate(row.keys)}
          >
            <Eye size={13} aria-hidden="true" /> {t('Show')}
          </button>
        )
      )}
      {reveal.error && (
        <span className="font-sans text-xs">
          <ErrorMessage error={reveal.error} inline />
        </span>
      )}
    </span>
  )
}

/** By itself, and at once when the page is left. */
function useHiding(shown: boolean, hide: () => void): void {
  useEffect(() => {
    if (!shown) return
    const timer = setTimeout(hide, SHOWN_MS)
    const onLeave = () => document.hidden && hide()
    document.addEventListener('visibilitychange', onLeave)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onLeave)
    }
  }, [shown])
}

function Hidden({ value }: { value: Json }) {
  // Part of a text is hidden: the rest of it is what a person reads.
  if (typeof value === 'string' && value !== '[secret]') return <Shown value={value} />
  return (
    <>
      <span className="tracking-wider text-ink-2">••••••••</span>
      <span className="inline-flex items-center gap-1 font-sans text-xs text-ink-3">
        <EyeOff size={13} aria-hidden="true" />
        {t('masked: a secret')}
      </span>
    </>
  )
}

function Shown({ value }: { value: Json }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.includes('\n') ? (
    <span className="block min-w-0 basis-full py-1">
      <UntrustedLines text={text} numbers />
    </span>
  ) : (
    <span className="wrap-anywhere whitespace-pre-wrap">
      <UntrustedText text={text} edges />
    </span>
  )
}
