import { useQuery } from '@tanstack/react-query'
import { MessagesSquare } from 'lucide-react'
import { Link } from 'wouter'
import type { LinkList } from '../../../../src/api/channels/links.ts'
import {
  channelLinksQuery,
  useConfirmLink,
  useMakeLinkCode,
  useRemoveLink,
} from '../../api/channel-links.ts'
import { lastError } from '../../api/query-client.ts'
import { EmptyState } from '../../components/empty/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { LinkChannel, type LinkedChannel } from './link-channel.tsx'
import { WaitingAccount } from './waiting-account.tsx'

/** Accounts of chats that answer for the person who looks. */
export function ChannelLinksPage() {
  const { data, error } = useQuery(channelLinksQuery)
  const make = useMakeLinkCode()
  const confirm = useConfirmLink()
  const remove = useRemoveLink()
  return (
    <Page
      title={t('Your linked accounts')}
      says={t(
        'An account of a chat can answer for you, as far as the rules trust a chat. You link it with a code that is made here and confirmed here.',
      )}
    >
      <ErrorMessage error={lastError(make, confirm, remove)} />
      <Loaded data={data} error={error}>
        {(list) => (
          <>
            {list.waiting.map((claim) => (
              <WaitingAccount
                key={claim.id}
                account={claim}
                title={titleOf(list, claim.channel)}
                busy={confirm.isPending || remove.isPending}
                onConfirm={() => confirm.mutate(claim.id, { onSuccess: make.reset })}
                onRemove={() => remove.mutate(claim.id)}
              />
            ))}
            {channelsOf(list).map((channel) => (
              <LinkChannel
                key={channel.name}
                channel={channel}
                links={list.links.filter((link) => link.channel === channel.name)}
                isClaimed={list.waiting.some((claim) => claim.channel === channel.name)}
                make={make}
                busy={remove.isPending}
                onRemove={(id) => remove.mutate(id)}
              />
            ))}
            {channelsOf(list).length === 0 && <NoChat />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function NoChat() {
  return (
    <EmptyState icon={MessagesSquare} title={t('No account answers for you.')}>
      <p>
        {t(
          'This server has no chat in which people answer. Its operator can connect Slack, Microsoft Teams, Discord or Telegram.',
        )}
      </p>
      <p>
        {rich('You are told by other ways until then: {link}.', {
          link: (
            <Link className="link" href="/notifications">
              {t('Phone and notifications')}
            </Link>
          ),
        })}
      </p>
    </EmptyState>
  )
}

/** Where accounts can be linked, and where some still are. */
function channelsOf({ channels, links }: LinkList): readonly LinkedChannel[] {
  const gone = new Set(links.map(({ channel }) => channel))
  for (const { name } of channels) gone.delete(name)
  return [...channels, ...[...gone].map((name) => ({ name, title: name }))]
}

function titleOf({ channels }: LinkList, channel: string): string {
  return channels.find(({ name }) => name === channel)?.title ?? channel
}
