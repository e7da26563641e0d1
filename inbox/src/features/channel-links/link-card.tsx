import { MessageSquare } from 'lucide-react'
import type { WireLink } from '../../../../src/api/channels/links.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

interface LinkCardProps {
  readonly account: Omit<WireLink, 'at'>
  readonly title: string
  /** Of an account that sent a code and waits for a yes. */
  readonly onConfirm?: () => void
  readonly onRemove: () => void
}

/** The id stands beside the name, because any name can be chosen in a chat. */
export function LinkCard({ account, title, onConfirm, onRemove }: LinkCardProps) {
  const { name, account: id, workspace, until } = account
  return (
    <section aria-label={t('{title} account {name}', { title, name })} className="frame px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <MessageSquare size={16} className="flex-none text-ink-3" aria-hidden="true" />
        <h2 className="wrap-anywhere text-md">
          {title}: <UntrustedText text={name} />
        </h2>
        <span className="flex-1" />
        <button type="button" className="btn" onClick={onRemove}>
          {onConfirm ? t('Not mine') : t('Unlink')}
        </button>
        {onConfirm && (
          <button type="button" className="btn" onClick={onConfirm}>
            {t('It is mine')}
          </button>
        )}
      </div>
      <p className="wrap-anywhere text-xs text-ink-3">
        {onConfirm
          ? `${t('This account sent your code and wants to answer for you.')} `
          : `${t('Answers for you until {time}.', { time: clock(until, serverNow()) })} `}
        {rich('Account {id} of workspace {workspace}', {
          id: <UntrustedText text={id} />,
          workspace: <UntrustedText text={workspace} />,
        })}
      </p>
    </section>
  )
}
