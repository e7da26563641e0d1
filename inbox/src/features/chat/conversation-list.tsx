import { Plus } from 'lucide-react'
import { Link } from 'wouter'
import type { WireConversation } from '../../../../src/api/chat/conversation.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

interface ListProps {
  readonly conversations: readonly WireConversation[]
  readonly selected: string | undefined
}

/** Beside the conversation; on a phone only where none is open. */
export function ConversationList({ conversations, selected }: ListProps) {
  return (
    <nav
      aria-label={t('Conversations')}
      className={`flex min-h-0 flex-col border-r border-line max-desk:max-h-[30dvh] max-desk:border-r-0 ${selected === undefined ? '' : 'max-desk:hidden'}`}
    >
      <header className="flex items-center gap-2 px-4 pt-4 pb-2.5 max-desk:px-3">
        <h1 className="flex-1 text-lg tracking-tight">{t('Chat')}</h1>
        <Link
          href="/chat"
          className="btn btn-small"
          aria-current={selected === undefined ? 'page' : undefined}
        >
          <Plus size={14} aria-hidden="true" />
          {t('New')}
        </Link>
      </header>
      {conversations.length === 0 && (
        <p className="px-4 text-ink-3 max-desk:hidden">
          {t('Your conversations will be listed here.')}
        </p>
      )}
      <ul className="grid min-h-0 content-start gap-px overflow-auto px-2.5 pb-3">
        {conversations.map(({ id, title, at }) => (
          <li key={id}>
            <Link
              href={`/chat/${encodeURIComponent(id)}`}
              aria-current={id === selected ? 'page' : undefined}
              className={`grid rounded-md px-2.5 py-1.5 ${id === selected ? 'bg-hover text-ink' : 'text-ink-2 hover:bg-hover'}`}
            >
              <span className="truncate font-medium">
                <UntrustedText text={title} />
              </span>
              <span className="text-xs text-ink-3">{clock(at, serverNow())}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
