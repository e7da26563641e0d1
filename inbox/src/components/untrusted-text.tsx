import { type ReactNode, useState } from 'react'
import { splitLines } from '../../../src/base/deception/blank-lines.ts'
import type { Range } from '../lib/changed-words.ts'
import { plural } from '../lib/language/t.ts'
import { type Part, splitVisible } from '../lib/text/invisible-characters.ts'

const CLASSES: Readonly<Record<Part['kind'], string>> = {
  plain: '',
  unseen: 'unseen',
  odd: 'odd',
  space: 'edge-space',
}

interface TextProps {
  readonly text: string
  readonly edges?: boolean
  /** The part that changed, in a line that did not change as a whole. */
  readonly changed?: Range | undefined
}

/** Untrusted text: rendered as text only, with invisible and look-alike characters drawn. */
export function UntrustedText({ text, edges = false, changed }: TextProps) {
  return splitVisible(text, edges, changed).map(({ kind, text: shown, at: place }, at) => {
    const isChanged = changed !== undefined && place >= changed[0] && place < changed[1]
    const look = `${CLASSES[kind]} ${isChanged ? 'changed-part' : ''}`.trim()
    return look === '' ? (
      shown
    ) : (
      <span key={at} className={look}>
        {shown}
      </span>
    )
  })
}

interface LinesProps {
  readonly text: string
  readonly numbers?: boolean
  /** Draws the text of a line, by its place, in another way: with colours, and with `UntrustedText`. */
  readonly draw?: (at: number) => ReactNode
  /** How a whole line looks, by its place. */
  readonly line?: (at: number) => string
  /** In place of the number of the line: these columns, and what each line has in them. */
  readonly gutter?: {
    readonly digits: number
    readonly of: (at: number) => readonly [string, string]
  }
}

/** Text with line ends, each marked. Many blank lines become a count that opens. */
export function UntrustedLines({ text, numbers = false, draw, line: look, gutter }: LinesProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  return splitLines(text, open).map((line) =>
    line.kind === 'gap' ? (
      <span
        key={line.number}
        className="-mx-2 block border-y border-dashed border-warn-line bg-warn-soft px-2"
      >
        <button
          type="button"
          className="link font-sans text-xs leading-6 text-warn"
          onClick={() => setOpen(new Set([...open, line.number]))}
        >
          [{plural(line.count, '{n} blank line', '{n} blank lines')}]
        </button>
      </span>
    ) : (
      <span
        key={line.number}
        className={`${numbers ? 'grid grid-cols-[36px_minmax(0,1fr)]' : gutter ? 'grid' : 'block'} ${look?.(line.number - 1) ?? ''}`}
        style={
          gutter && {
            gridTemplateColumns: `repeat(2, calc(${gutter.digits}ch + 10px)) minmax(0, 1fr)`,
          }
        }
      >
        {gutter?.of(line.number - 1).map((shown, side) => (
          <span
            key={side}
            data-number=""
            className="pr-2.5 text-right text-ink-3 tabular-nums select-none"
            aria-hidden="true"
          >
            {shown}
          </span>
        ))}
        {numbers && (
          <span className="pr-3 text-right text-ink-3 select-none" aria-hidden="true">
            {line.number}
          </span>
        )}
        <span data-line="" className="min-h-5 wrap-anywhere whitespace-pre-wrap">
          {draw === undefined ? <UntrustedText text={line.text} /> : draw(line.number - 1)}
          {!line.last && (
            <span className="pl-1 text-xs text-ink-3 select-none" aria-hidden="true">
              ⏎
            </span>
          )}
        </span>
      </span>
    ),
  )
}
