import { type KeyboardEvent, useRef } from 'react'

interface CodeEditorProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onRun: () => void
}

/** A text field with line numbers. Tab indents; Escape lets Tab move on. */
export function CodeEditor({ value, onChange, onRun }: CodeEditorProps) {
  const numbers = useRef<HTMLPreElement>(null)
  const leaves = useRef(false)
  const lines = value.split('\n').length
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      onRun()
      return
    }
    if (event.key === 'Escape') leaves.current = true
    else if (event.key === 'Tab' && !event.shiftKey && !leaves.current) {
      event.preventDefault()
      const { selectionStart: from, selectionEnd: to } = event.currentTarget
      event.currentTarget.setRangeText('  ', from, to, 'end')
      onChange(event.currentTarget.value)
    } else leaves.current = false
  }
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] overflow-hidden rounded-md border border-control bg-surface font-mono text-code leading-5">
      <pre
        ref={numbers}
        aria-hidden="true"
        className="h-[22rem] overflow-hidden border-r border-line bg-sunken px-2 py-2 text-right text-ink-3 select-none max-desk:h-64"
      >
        {Array.from({ length: lines }, (_, at) => at + 1).join('\n')}
      </pre>
      <textarea
        aria-label="Source"
        aria-describedby="source-help"
        className="h-[22rem] resize-none bg-transparent px-2.5 py-2 whitespace-pre text-ink max-desk:h-64"
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        wrap="off"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onScroll={({ currentTarget }) => {
          if (numbers.current) numbers.current.scrollTop = currentTarget.scrollTop
        }}
        onKeyDown={onKeyDown}
      />
      <p id="source-help" className="sr-only">
        Tab indents. Press Escape and then Tab to move on. Control and Enter run the draft.
      </p>
    </div>
  )
}
