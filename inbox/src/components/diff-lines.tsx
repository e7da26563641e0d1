import { useMemo } from 'react'
import type { ChangedLine } from '../../../src/api/arguments/line-diff.ts'
import { changedWords } from '../lib/changed-words.ts'
import { UntrustedText } from './untrusted-text.tsx'

const LOOKS = {
  same: '',
  removed: 'bg-del text-del-ink',
  added: 'bg-add text-add-ink',
} as const

const SIGNS = {
  same: [' ', ''],
  removed: ['−', 'removed'],
  added: ['+', 'added'],
} as const

interface ChangedLinesProps {
  readonly lines: readonly ChangedLine[]
  readonly className: string
}

/** What goes out and comes in, each line with its sign; nothing is left out. */
export function DiffLines({ lines, className }: ChangedLinesProps) {
  const changed = useMemo(() => changedWords(lines), [lines])
  return lines.map(({ kind, text }, at) => (
    <span
      key={at}
      className={`grid grid-cols-[20px_minmax(0,1fr)] ${className} ${LOOKS[kind]}`}
      data-change={kind}
    >
      <span className="select-none" aria-hidden="true">
        {SIGNS[kind][0]}
      </span>
      <span className="min-h-5 wrap-anywhere whitespace-pre-wrap">
        {kind !== 'same' && <span className="sr-only select-none">{SIGNS[kind][1]}: </span>}
        <span data-line="">
          <UntrustedText text={text.replace(/\n$/, '')} changed={changed.get(at)} />
        </span>
        {text.endsWith('\n') ? (
          <span className="pl-1 text-xs text-ink-3 select-none" aria-hidden="true">
            ⏎
          </span>
        ) : null}
      </span>
    </span>
  ))
}
