import type { UIMessage } from 'ai'
import { ChevronLeft, Download, Trash2 } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { useRemoveConversation } from '../../api/chat.ts'
import { saveAs } from '../../api/client.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { t } from '../../lib/language/t.ts'
import { asMarkdown } from './export.ts'

interface HeadProps {
  readonly id: string
  readonly title: string
  readonly messages: readonly UIMessage[]
}

export function ConversationHead({ id, title, messages }: HeadProps) {
  const [, navigate] = useLocation()
  const remove = useRemoveConversation()
  const save = () =>
    void saveAs(`conversation-${id.slice(0, 12)}.md`, new Response(asMarkdown(title, messages)))
  return (
    <header className="flex flex-none items-center gap-1.5 border-b border-line bg-surface px-6 py-2 max-desk:px-3">
      <Link href="/chat" className="icon-btn -ml-2 desk:hidden" aria-label={t('All conversations')}>
        <ChevronLeft size={18} aria-hidden="true" />
      </Link>
      <h2 className="min-w-0 flex-1 truncate text-md font-medium">
        <UntrustedText text={title} />
      </h2>
      <button
        type="button"
        className="btn btn-quiet btn-small"
        disabled={messages.length === 0}
        onClick={save}
      >
        <Download size={14} aria-hidden="true" />
        <span className="max-desk:sr-only">{t('Export')}</span>
      </button>
      <button
        type="button"
        className="btn btn-quiet btn-small"
        disabled={remove.isPending}
        onClick={() =>
          void remove.mutateAsync(id).then(
            () => navigate('/chat'),
            () => {},
          )
        }
      >
        <Trash2 size={14} aria-hidden="true" />
        <span className="max-desk:sr-only">{t('Delete')}</span>
      </button>
    </header>
  )
}
