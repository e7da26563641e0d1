import type { LinkList } from '../../../../src/api/channels/links.ts'
import type { useMakeLinkCode } from '../../api/channel-links.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

interface LinkChannelProps {
  readonly channel: LinkList['channels'][number]
  readonly make: ReturnType<typeof useMakeLinkCode>
}

/** Makes a code, and says where it is sent. */
export function LinkChannel({ channel: { name, title, where }, make }: LinkChannelProps) {
  const code = make.variables === name ? make.data?.code : undefined
  return (
    <section aria-label={t('Link {title}', { title })} className="frame grid gap-2 px-4 py-3">
      <h2 className="text-md">{rich('Link {title}', { title })}</h2>
      {code === undefined ? (
        <div>
          <button
            type="button"
            className="btn"
            disabled={make.isPending}
            onClick={() => make.mutate(name)}
          >
            {t('Make a code')}
          </button>
        </div>
      ) : (
        <p>
          {rich('Send {code} {where}, within ten minutes. Then confirm the account here.', {
            code: <code className="font-mono text-md">{code}</code>,
            where,
          })}
        </p>
      )}
      <p className="text-xs text-ink-3">
        {t(
          'Give the code to no other person: the account that sends it asks to answer for you. A code is made within 15 minutes of signing in.',
        )}
      </p>
    </section>
  )
}
