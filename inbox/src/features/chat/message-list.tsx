import type { UIMessage } from 'ai'
import { useEffect, useRef } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import { t } from '../../lib/language/t.ts'
import { Message } from './message.tsx'

interface MessageListProps {
  readonly messages: readonly UIMessage[]
  readonly isBusy: boolean
  /** What became of the last message's calls is not known at the moment. */
  readonly isLost: boolean
  readonly me: Me
  readonly onEdit: ((id: string, text: string) => void) | undefined
  readonly onRetry: (() => void) | undefined
}

export function MessageList(props: MessageListProps) {
  const { messages, isBusy, isLost, me, onEdit, onRetry } = props
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  // Follows what is written, unless the person has scrolled up to read.
  useEffect(() => {
    const element = box.current
    if (element && isAtEnd.current && messages.length > 0) element.scrollTop = element.scrollHeight
  }, [messages])
  return (
    <div
      ref={box}
      className="relative min-h-0 flex-1 overflow-auto outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--color-focus)]"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48
      }}
    >
      <ol
        aria-label={t('Messages')}
        aria-busy={isBusy}
        className="mx-auto grid max-w-[808px] grid-cols-[minmax(0,1fr)] gap-5 px-6 py-5 max-desk:px-3 max-desk:py-4"
      >
        {messages.map((message, at) => (
          <Message
            key={message.id}
            message={message}
            isLost={isLost && at === messages.length - 1}
            me={me}
            onEdit={onEdit && ((text) => onEdit(message.id, text))}
            onRetry={at === messages.length - 1 ? onRetry : undefined}
          />
        ))}
        {isBusy && messages.at(-1)?.role === 'user' && (
          <li aria-label={t('The model is thinking')}>
            <span className="waiting w-40" />
          </li>
        )}
      </ol>
      <p className="sr-only" role="status">
        {isBusy
          ? t('The model is answering')
          : messages.length > 0 && !isLost
            ? t('The answer is complete')
            : ''}
      </p>
    </div>
  )
}
