import { Check, CircleHelp, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { visibleText } from '../lib/text/invisible-characters.ts'

export function Verdict({ word }: { word: string }) {
  const look =
    word === 'deny'
      ? 'bg-bad-soft text-bad shadow-[inset_0_0_0_1px_var(--color-bad-line)]'
      : word === 'review'
        ? 'bg-accent-soft text-accent shadow-[inset_0_0_0_1px_var(--color-accent-line)]'
        : 'bg-surface text-ink-2 shadow-[inset_0_0_0_1px_var(--color-frame)]'
  return (
    <span className={`rounded-xs px-[5px] font-mono text-xs leading-[18px] font-medium ${look}`}>
      {visibleText(word)}
    </span>
  )
}

const SIGNS = {
  yes: [Check, 'text-good'],
  no: [X, 'text-ink-3'],
  unknown: [CircleHelp, 'text-open'],
} as const

interface RuleTestProps {
  readonly answer: 'yes' | 'no' | 'unknown'
  readonly children: ReactNode
}

/** One condition of a rule, and whether it held for the call. */
export function RuleTest({ answer, children }: RuleTestProps) {
  const [Icon, colour] = SIGNS[answer]
  return (
    <div className="mt-1 grid grid-cols-[16px_minmax(0,1fr)] gap-1.5 text-xs leading-[17px]">
      <Icon size={14} className={`mt-0.5 ${colour}`} aria-hidden="true" />
      <span>{children}</span>
    </div>
  )
}
