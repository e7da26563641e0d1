import { ArrowUp, Square } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { t } from '../../lib/language/t.ts'

interface ComposerProps {
  readonly isBusy: boolean
  /** What stands in the field at first. */
  readonly first?: string
  readonly onSend: (text: string) => void
  /** While the model answers. */
  readonly onStop?: (() => void) | undefined
  readonly aside?: ReactNode
}

const MOST = 32_000

/** Where a person types. Enter sends, Shift and Enter makes a new line. */
export function Composer({ isBusy, first = '', onSend, onStop, aside }: ComposerProps) {
  const [text, setText] = useState(first)
  const field = useRef<HTMLTextAreaElement>(null)
  const isReady = text.trim() !== '' && !isBusy
  const send = () => {
    if (!isReady) return
    onSend(text.trim())
    setText('')
    field.current?.focus()
  }
  return (
    <form
      className="flex-none border-t border-line bg-surface px-6 pt-3 pb-3.5 shadow-bar max-desk:px-3 max-desk:pb-3"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="mx-auto grid max-w-[760px] gap-2 rounded-lg border border-control bg-surface p-2 focus-within:border-accent">
        <textarea
          ref={field}
          aria-label={t('Message')}
          placeholder={t('Ask for something')}
          className="field-sizing-content max-h-48 min-h-11 resize-none bg-transparent px-1.5 py-1 text-md text-ink outline-none placeholder:text-ink-3"
          rows={2}
          maxLength={MOST}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send()
          }}
        />
        <div className="flex items-center gap-2">
          {aside}
          <span className="flex-1" />
          {onStop === undefined ? (
            <button type="submit" className="btn btn-solid btn-small" aria-disabled={!isReady}>
              <ArrowUp size={14} aria-hidden="true" />
              {t('Send')}
            </button>
          ) : (
            <button type="button" className="btn btn-small" onClick={onStop}>
              <Square size={12} aria-hidden="true" />
              {t('Stop')}
            </button>
          )}
        </div>
      </div>
    </form>
  )
}
