import { Check, MessageSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import type { WireLink } from '../../../../src/api/channels/links.ts'
import type { useMakeLinkCode } from '../../api/channel-links.ts'
import { Chip } from '../../components/chip.tsx'
import { CopyLine } from '../../components/empty/copy-line.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { AccountIds } from './account-ids.tsx'

export interface LinkedChannel {
  readonly name: string
  readonly title: string
  /** Where a code is sent; undefined: the server has no such channel any more. */
  readonly where?: string
}

interface LinkChannelProps {
  readonly channel: LinkedChannel
  readonly links: readonly WireLink[]
  /** An account sent the code already and waits above. */
  readonly isClaimed: boolean
  readonly make: ReturnType<typeof useMakeLinkCode>
  readonly busy: boolean
  readonly onRemove: (id: string) => void
}

/** One chat: which of its accounts answer for the reader, and how another one comes to. */
export function LinkChannel(props: LinkChannelProps) {
  const { channel, links, isClaimed, make, busy, onRemove } = props
  const { name, where } = channel
  const title = visibleText(channel.title)
  const made = make.variables === name ? make.data : undefined
  return (
    <section aria-label={title} className="frame divide-y divide-line">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5 max-desk:px-3">
        <MessageSquare size={16} className="flex-none text-accent" aria-hidden="true" />
        <h2 className="wrap-anywhere text-md">{title}</h2>
        {links.length === 0 ? (
          <Chip>{t('Not linked')}</Chip>
        ) : (
          <Chip tone="good" icon={Check}>
            {t('Linked')}
          </Chip>
        )}
        <span className="flex-1" />
        {where !== undefined && (
          <button
            type="button"
            className="btn btn-small max-desk:h-11"
            disabled={make.isPending}
            onClick={() => make.mutate(name)}
          >
            {made === undefined ? t('Make a code') : t('Make another code')}
          </button>
        )}
      </header>
      {links.map((link) => (
        <LinkRow key={link.id} link={link} title={title} busy={busy} onRemove={onRemove} />
      ))}
      {where !== undefined && !isClaimed && (links.length === 0 || made !== undefined) && (
        <div className="grid gap-2 px-4 py-3 max-desk:px-3">
          <ol className="grid gap-2">
            <Step n={1} isDone={made !== undefined}>
              {made === undefined ? (
                t('Make a code here. It works once, for ten minutes.')
              ) : (
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
                  <span className="text-lg">
                    <CopyLine line={made.code} />
                  </span>
                  <span className="text-ink-3 tabular-nums">
                    {rich('works once, until {time}', { time: clock(made.expiresAt, serverNow()) })}
                  </span>
                </span>
              )}
            </Step>
            <Step n={2}>{rich('Send it {where}, from your account.', { where })}</Step>
            <Step n={3}>
              {t('Come back: the account appears on this page, and you confirm it.')}
            </Step>
          </ol>
          <p className="text-xs text-ink-3">
            {t(
              'Give the code to no other person: the account that sends it asks to answer for you. A code is made within 15 minutes of signing in.',
            )}
          </p>
        </div>
      )}
    </section>
  )
}

function Step(props: { n: number; isDone?: boolean; children: ReactNode }) {
  const { n, isDone = false, children } = props
  return (
    <li className="flex items-center gap-2.5">
      <span
        aria-hidden="true"
        className={`grid size-6 flex-none place-items-center rounded-full text-xs font-semibold ${isDone ? 'bg-good-soft text-good' : 'bg-hover text-ink-2'}`}
      >
        {isDone ? <Check size={13} /> : n}
      </span>
      <div className="min-w-0 wrap-anywhere">{children}</div>
    </li>
  )
}

interface LinkRowProps extends Pick<LinkChannelProps, 'busy' | 'onRemove'> {
  readonly link: WireLink
  readonly title: string
}

function LinkRow({ link, title, busy, onRemove }: LinkRowProps) {
  const now = serverNow()
  return (
    <section
      aria-label={t('{title} account {name}', { title, name: visibleText(link.name) })}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 max-desk:px-3"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="wrap-anywhere">
          <UntrustedText text={link.name} />
        </h3>
        <p className="text-xs text-ink-3">
          <AccountIds account={link} />
        </p>
      </div>
      <p className="text-ink-2 tabular-nums">
        {rich('Answers for you until {time}.', { time: clock(link.until, now, false) })}
        <span className="block text-xs text-ink-3">
          {rich('Linked {time}', { time: clock(link.at, now, false) })}
        </span>
      </p>
      <button
        type="button"
        className="btn btn-small max-desk:h-11"
        disabled={busy}
        onClick={() => onRemove(link.id)}
      >
        {t('Unlink')}
      </button>
    </section>
  )
}
