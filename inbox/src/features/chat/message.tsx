import type { UIMessage } from 'ai'
import { Pencil, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import { Logo } from '../../components/logo.tsx'
import { Avatar, nameOf } from '../../components/person.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { askedCalls, isTool } from './parts.ts'
import { Lines, SafeText } from './safe-text.tsx'
import { ToolCall } from './tool-call.tsx'

interface MessageProps {
  readonly message: UIMessage
  readonly isLost: boolean
  readonly me: Me
  readonly onEdit: ((text: string) => void) | undefined
  readonly onRetry: (() => void) | undefined
}

export function Message(props: MessageProps) {
  return props.message.role === 'user' ? <Own {...props} /> : <Answer {...props} />
}

function Own({ message, me, onEdit, onRetry }: MessageProps) {
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const [draft, setDraft] = useState<string>()
  if (draft !== undefined && onEdit) {
    return (
      <li className="grid gap-2">
        <textarea
          aria-label={t('Edit your message')}
          className="field w-full text-md"
          rows={3}
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
        />
        <div className="flex justify-end gap-2">
          <button
            type="button"
            className="btn btn-quiet btn-small"
            onClick={() => setDraft(undefined)}
          >
            {t('Cancel')}
          </button>
          <button
            type="button"
            className="btn btn-solid btn-small"
            disabled={draft.trim() === ''}
            onClick={() => {
              setDraft(undefined)
              onEdit(draft.trim())
            }}
          >
            {t('Send again')}
          </button>
        </div>
      </li>
    )
  }
  return (
    <li className="group grid justify-items-end gap-1">
      <div className="flex max-w-[88%] items-start gap-2.5">
        <div className="rounded-lg bg-accent-soft px-3.5 py-2 text-md wrap-anywhere whitespace-pre-wrap text-ink shadow-[inset_0_0_0_1px_var(--color-accent-line)]">
          <span className="sr-only">{rich('{name} wrote:', { name: nameOf(me.person) })} </span>
          <Lines text={text} />
        </div>
        <span className="mt-1 max-desk:hidden" aria-hidden="true">
          <Avatar person={me.person} />
        </span>
      </div>
      <div className="flex gap-1 desk:pr-9">
        {onEdit && (
          <button
            type="button"
            className="btn btn-quiet btn-small text-xs"
            onClick={() => setDraft(text)}
          >
            <Pencil size={12} aria-hidden="true" />
            {t('Edit')}
          </button>
        )}
        {onRetry && <Retry onRetry={onRetry} />}
      </div>
    </li>
  )
}

function Answer({ message, isLost, onRetry }: MessageProps) {
  const asked = askedCalls(message)
  return (
    <li className="grid grid-cols-[28px_minmax(0,1fr)] gap-3 max-desk:grid-cols-1">
      <span className="mt-0.5 max-desk:hidden" aria-hidden="true">
        <Logo size={24} />
      </span>
      <div className="grid min-w-0 gap-2.5 text-md">
        <span className="sr-only">{t('The model wrote:')} </span>
        {message.parts.map((part, at) => {
          if (part.type === 'text') return <SafeText key={at} text={part.text} />
          if (!isTool(part)) return null
          const { toolCallId } = part
          return (
            <ToolCall key={toolCallId} part={part} asked={asked.get(toolCallId)} isLost={isLost} />
          )
        })}
        {onRetry && (
          <div>
            <Retry onRetry={onRetry} />
          </div>
        )}
      </div>
    </li>
  )
}

function Retry({ onRetry }: { onRetry: () => void }) {
  return (
    <button type="button" className="btn btn-quiet btn-small -ml-2.5 text-xs" onClick={onRetry}>
      <RotateCcw size={12} aria-hidden="true" />
      {t('Retry')}
    </button>
  )
}
