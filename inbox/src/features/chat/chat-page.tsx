import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import { chatQuery } from '../../api/chat.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { t } from '../../lib/language/t.ts'
import { Conversation } from './conversation.tsx'
import { ConversationList } from './conversation-list.tsx'
import { NewConversation } from './new-conversation.tsx'

/** A chat whose tools ask before they run. */
export function ChatPage({ me, id }: { me: Me; id: string | undefined }) {
  // A list that cannot be fetched anew takes no conversation off the page: it has more to tell.
  const { data, error } = useQuery(chatQuery)
  const title = data?.conversations.find((one) => one.id === id)?.title
  useEffect(() => {
    document.title = `${title ?? t('Chat')} · Countersign`
  }, [title])
  return (
    <main className="grid min-h-0 grid-cols-[264px_minmax(0,1fr)] bg-surface max-wide:grid-cols-[216px_minmax(0,1fr)] max-desk:grid-cols-1 max-desk:grid-rows-[auto_minmax(0,1fr)]">
      <ConversationList conversations={data?.conversations ?? []} selected={id} />
      <section
        aria-label={t('Conversation')}
        className={`relative flex min-h-0 min-w-0 flex-col bg-canvas max-desk:row-start-2 ${id === undefined ? 'max-desk:border-t max-desk:border-line' : ''}`}
      >
        {id !== undefined && <h1 className="sr-only desk:hidden">{t('Chat')}</h1>}
        {error && data === undefined ? (
          <div className="p-6">
            <ErrorMessage error={error} />
          </div>
        ) : id === undefined ? (
          <NewConversation
            models={data?.models ?? []}
            problems={data?.problems ?? []}
            isAdmin={me.roles.includes('admin')}
          />
        ) : (
          <Conversation key={id} id={id} title={title} me={me} models={data?.models ?? []} />
        )}
      </section>
    </main>
  )
}
