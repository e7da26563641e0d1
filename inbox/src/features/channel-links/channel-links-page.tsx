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
import { LinkCard } from './link-card.tsx'
import { LinkChannel } from './link-channel.tsx'

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
              <LinkCard
                key={`claim-${claim.id}`}
                account={claim}
                title={titleOf(list, claim.channel)}
                onConfirm={() => confirm.mutate(claim.id)}
                onRemove={() => remove.mutate(claim.id)}
              />
            ))}
            {list.links.map((link) => (
              <LinkCard
                key={link.id}
                account={link}
                title={titleOf(list, link.channel)}
                onRemove={() => remove.mutate(link.id)}
              />
            ))}
            {list.links.length + list.waiting.length === 0 && (
              <EmptyState icon={MessagesSquare} title={t('No account answers for you.')}>
                {list.channels.length === 0 ? (
                  <>
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
                  </>
                ) : (
                  <p>
                    {t(
                      'Make a code below and send it to the bot from your account. Then confirm here that it is yours.',
                    )}
                  </p>
                )}
              </EmptyState>
            )}
            {list.channels.map((channel) => (
              <LinkChannel key={channel.name} channel={channel} make={make} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function titleOf({ channels }: LinkList, channel: string): string {
  return channels.find(({ name }) => name === channel)?.title ?? channel
}
