import type { LinkList } from '../../../../src/api/channels/links.ts'
import type { useMakeLinkCode } from '../../api/channel-links.ts'

interface LinkChannelProps {
  readonly channel: LinkList['channels'][number]
  readonly make: ReturnType<typeof useMakeLinkCode>
}

/** Makes a code, and says where it is sent. */
export function LinkChannel({ channel: { name, title, where }, make }: LinkChannelProps) {
  const code = make.variables === name ? make.data?.code : undefined
  return (
    <section aria-label={`Link ${title}`} className="frame grid gap-2 px-4 py-3">
      <h2 className="text-md">Link {title}</h2>
      {code === undefined ? (
        <div>
          <button
            type="button"
            className="btn"
            disabled={make.isPending}
            onClick={() => make.mutate(name)}
          >
            Make a code
          </button>
        </div>
      ) : (
        <p>
          Send <code className="font-mono text-md">{code}</code> {where}, within ten minutes. Then
          confirm the account here.
        </p>
      )}
      <p className="text-xs text-ink-3">
        Give the code to no other person: the account that sends it asks to answer for you. A code
        is made within 15 minutes of signing in.
      </p>
    </section>
  )
}
