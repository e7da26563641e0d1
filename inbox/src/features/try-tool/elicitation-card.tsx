import { MessageCircleQuestion } from 'lucide-react'
import { useEffect, useState } from 'react'
import { UntrustedLines } from '../../components/untrusted-text.tsx'
import { t } from '../../lib/language/t.ts'
import type { ClientAnswer } from './mcp-client.ts'

/** The gate rejects earlier answers: that is too soon to have read the question. */
const READ_MS = 800

interface ElicitationCardProps {
  readonly message: string
  readonly onAnswer: (action: ClientAnswer) => void
}

/** What a client shows its user: the question, and nothing of what the inbox knows besides. */
export function ElicitationCard({ message, onAnswer }: ElicitationCardProps) {
  const [isRead, setRead] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setRead, READ_MS, true)
    return () => clearTimeout(timer)
  }, [])
  return (
    <section
      aria-label={t('What the client asks its user')}
      className="grid gap-2.5 rounded-lg border-2 border-dashed border-accent-line bg-accent-soft p-3.5"
    >
      <p className="flex items-center gap-2 text-xs text-ink-2" role="status">
        <MessageCircleQuestion size={15} className="text-accent" aria-hidden="true" />
        {t('Elicitation, as the client of an agent shows it to its user')}
      </p>
      <div className="text-md wrap-anywhere">
        <UntrustedLines text={message} />
      </div>
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className="btn"
          disabled={!isRead}
          onClick={() => onAnswer('decline')}
        >
          {t('Deny')}
        </button>
        <button type="button" className="btn" disabled={!isRead} onClick={() => onAnswer('accept')}>
          {t('Approve')}
        </button>
        <button
          type="button"
          className="btn btn-quiet"
          disabled={!isRead}
          onClick={() => onAnswer('cancel')}
        >
          {t('Close without an answer')}
        </button>
      </div>
      <p className="text-xs text-ink-3">
        {t(
          'Your answer counts as a confirmation by you, given in a client. It waits in the inbox as well.',
        )}
      </p>
    </section>
  )
}
