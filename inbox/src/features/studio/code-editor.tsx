import { type KeyboardEvent, useRef, useState } from 'react'
import { t } from '../../lib/language/t.ts'
import './code-editor.css'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { type Edit, editFor, lineRange } from './source/edits.ts'
import type { Fault } from './source/fault.ts'
import { linesOf, pairAt, type Token, type TokenKind, tokensOf } from './source/tokens.ts'

interface CodeEditorProps {
  readonly value: string
  /** Where the last run of this source failed. */
  readonly fault: Fault | undefined
  readonly onChange: (value: string) => void
  readonly onRun: () => void
}

/**
 * A text field over its own text in colours: what people type, select, undo and hear from a screen
 * reader is the field. Tab indents; Escape lets Tab move on.
 */
export function CodeEditor({ value, fault, onChange, onRun }: CodeEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const leaves = useRef(false)
  const [caret, setCaret] = useState<number>()
  const tokens = tokensOf(value)
  const lines = linesOf(value, tokens)
  const pair = caret === undefined ? undefined : pairAt(value, tokens, caret)

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    const { key, shiftKey, currentTarget } = event
    const isCommand = event.ctrlKey || event.metaKey
    if (key === 'Enter' && isCommand) {
      event.preventDefault()
      onRun()
    } else if (key === 'Escape') leaves.current = true
    else if (key === 'Tab' && leaves.current) leaves.current = false
    else if (!isCommand && !event.altKey && key !== 'Shift') {
      leaves.current = false
      const { value: text, selectionStart: from, selectionEnd: to } = currentTarget
      const edit = editFor({ key, shiftKey }, { text, from, to })
      if (!edit) return
      event.preventDefault()
      apply(currentTarget, edit)
      onChange(currentTarget.value)
    }
  }
  const goToFault = () => {
    if (!fault || !field.current) return
    field.current.focus()
    field.current.setSelectionRange(...lineRange(value, fault.line))
  }
  return (
    <div className="grid gap-1.5">
      <div className="editor">
        <div className="editor-gutter" aria-hidden="true">
          {lines.map((_, at) => (
            <span key={at} data-fault={at + 1 === fault?.line ? '' : undefined}>
              {at + 1}
            </span>
          ))}
        </div>
        <div className="editor-text">
          <pre aria-hidden="true">
            {lines.map((line, at) => (
              <Line
                key={at}
                text={value}
                tokens={line}
                pair={pair}
                isFault={at + 1 === fault?.line}
              />
            ))}
          </pre>
          <textarea
            ref={field}
            aria-label={t('Source')}
            aria-describedby={fault ? 'source-fault source-help' : 'source-help'}
            aria-invalid={fault !== undefined}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            autoCorrect="off"
            wrap="off"
            value={value}
            onChange={({ target }) => onChange(target.value)}
            onSelect={({ currentTarget: { selectionStart: from, selectionEnd: to } }) =>
              setCaret(from === to ? from : undefined)
            }
            onBlur={() => setCaret(undefined)}
            onKeyDown={onKeyDown}
          />
        </div>
      </div>
      {fault && (
        <p id="source-fault" className="flex flex-wrap items-baseline gap-x-2 text-bad">
          <button type="button" className="link" onClick={goToFault}>
            {t('Line {line}', { line: fault.line })}
          </button>
          <span className="min-w-0 wrap-anywhere">
            <UntrustedText text={fault.message} />
          </span>
        </p>
      )}
      <p id="source-help" className="text-xs text-ink-3">
        {t(
          'Tab indents, Shift Tab goes back; Escape and then Tab leaves the editor. Ctrl Enter runs the draft.',
        )}
      </p>
    </div>
  )
}

/** As if it were typed: the browser can undo it. */
function apply(field: HTMLTextAreaElement, { from, to, text, select }: Edit): void {
  field.setSelectionRange(from, to)
  const isDone =
    text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text)
  if (!isDone) field.setRangeText(text, from, to, 'end')
  field.setSelectionRange(...select)
}

interface LineProps {
  /** The whole source. */
  readonly text: string
  readonly tokens: readonly Token[]
  /** The brackets at the caret. */
  readonly pair: readonly [number, number] | undefined
  readonly isFault: boolean
}

function Line({ text, tokens, pair, isFault }: LineProps) {
  return (
    <span className="editor-line" data-fault={isFault ? '' : undefined}>
      {tokens.map(({ kind, from, to }) => {
        const isPair = kind === 'bracket' && pair?.includes(to - 1)
        return (
          <span key={from} className={isPair ? 'editor-pair' : COLOURS[kind]}>
            {text.slice(from, to)}
          </span>
        )
      })}
      {'\n'}
    </span>
  )
}

const COLOURS: Readonly<Record<TokenKind, string>> = {
  comment: 'text-ink-3',
  string: 'text-good',
  number: 'text-number',
  keyword: 'text-word',
  bracket: 'text-ink-2',
  plain: '',
}
