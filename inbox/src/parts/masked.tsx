import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ApprovalCard } from '../../../src/api/approval.ts'
import { reveal, sentenceOf } from '../api.ts'
import type { Json, ValueRow } from '../text/values.ts'
import { Foreign, ForeignLines } from './foreign.tsx'

/** Long enough to read it, short enough for an unattended screen. */
const SHOWN_MS = 20_000

interface MaskedProps {
  readonly card: Pick<ApprovalCard, 'id' | 'digest' | 'can'>
  readonly row: ValueRow
}

/** A masked value. A permitted reader can reveal it for a moment, after the reveal was recorded. */
export function Masked({ card, row }: MaskedProps) {
  const { id, digest } = card
  const [value, setValue] = useState<Json>()
  const [problem, setProblem] = useState('')
  useHiding(value !== undefined, () => setValue(undefined))
  const show = async () => {
    setProblem('')
    try {
      setValue((await reveal(id, row.keys, digest)).value)
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-2">
      {value === undefined ? <Hidden value={row.value} /> : <Shown value={value} />}
      {value !== undefined ? (
        <button type="button" className="btn btn-small" onClick={() => setValue(undefined)}>
          <EyeOff size={13} aria-hidden="true" /> Hide
        </button>
      ) : (
        card.can.includes('reveal') && (
          <button
            type="button"
            className="btn btn-small"
            aria-label={`Show ${row.keys.at(-1) ?? 'the value'}`}
            title="It is recorded that you looked"
            onClick={() => void show()}
          >
            <Eye size={13} aria-hidden="true" /> Show
          </button>
        )
      )}
      {problem !== '' && <span className="font-sans text-xs text-bad">{problem}</span>}
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
        masked: a secret
      </span>
    </>
  )
}

function Shown({ value }: { value: Json }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.includes('\n') ? (
    <span className="block min-w-0 basis-full py-1">
      <ForeignLines text={text} numbers />
    </span>
  ) : (
    <span className="wrap-anywhere whitespace-pre-wrap">
      <Foreign text={text} edges />
    </span>
  )
}
