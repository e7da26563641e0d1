import { MessageCircleQuestion } from 'lucide-react'
import type { WireLink } from '../../../../src/api/channels/links.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { AccountIds } from './account-ids.tsx'

interface WaitingAccountProps {
  readonly account: Omit<WireLink, 'at'>
  readonly title: string
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onRemove: () => void
}

/** An account that sent a code and waits for a yes: the one thing on the page that has a deadline. */
export function WaitingAccount(props: WaitingAccountProps) {
  const { account, title, busy, onConfirm, onRemove } = props
  const { name, until } = account
  return (
    <section
      aria-label={t('{title} account {name}', { title, name: visibleText(name) })}
      className="frame flex flex-wrap items-center gap-x-4 gap-y-3 border-warn-line bg-warn-soft px-4 py-3 max-desk:px-3"
    >
      <div className="flex min-w-0 flex-1 basis-80 gap-3">
        <MessageCircleQuestion
          size={18}
          className="mt-0.5 flex-none text-warn"
          aria-hidden="true"
        />
        <div className="grid min-w-0 gap-0.5">
          <h2 className="wrap-anywhere text-md">
            {rich('Is {account} in {title} yours?', {
              account: (
                <span className="from-call">
                  <UntrustedText text={name} />
                </span>
              ),
              title: visibleText(title),
            })}
          </h2>
          <p>
            {t(
              'This account sent your code and wants to answer for you. Confirm it only where the account and its workspace are yours: any name can be chosen in a chat.',
            )}
          </p>
          <p className="text-xs text-ink-2">
            <AccountIds account={account} />
            {' · '}
            {rich('can be confirmed until {time}', { time: clock(until, serverNow(), false) })}
          </p>
        </div>
      </div>
      <div className="flex flex-none gap-2 max-desk:w-full">
        <button type="button" className="btn max-desk:flex-1" disabled={busy} onClick={onRemove}>
          {t('Not mine')}
        </button>
        <button
          type="button"
          className="btn btn-solid max-desk:flex-1"
          disabled={busy}
          onClick={onConfirm}
        >
          {t('It is mine')}
        </button>
      </div>
    </section>
  )
}
