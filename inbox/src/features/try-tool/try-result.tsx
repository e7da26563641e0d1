import { CircleCheck, CircleX, Clock } from 'lucide-react'
import { Link } from 'wouter'
import { UntrustedLines } from '../../components/untrusted-text.tsx'
import { t } from '../../lib/language/t.ts'
import type { ToolResult } from './mcp-client.ts'

/** Everything the client got, as text: what a model would read. */
export function TryResult({ result }: { result: ToolResult }) {
  const { content = [], structuredContent, isError = false, _meta = {} } = result
  const isPending = _meta['countersign/status'] === 'pending'
  const approval = _meta['countersign/approval']
  const [Icon, words, look] = isPending
    ? ([Clock, t('Waits for a person. It has not run.'), 'text-warn'] as const)
    : isError
      ? ([CircleX, t('The client is told that it failed.'), 'text-bad'] as const)
      : ([CircleCheck, t('The client gets this.'), 'text-good'] as const)
  return (
    <section aria-label={t('What the client gets')} className="grid gap-2">
      <p role="status" className={`flex flex-wrap items-center gap-2 ${look}`}>
        <Icon size={15} aria-hidden="true" />
        {words}
        {typeof approval === 'string' && (
          <Link
            className="link"
            href={`/${isPending ? 'approvals' : 'history'}/${encodeURIComponent(approval)}`}
          >
            {isPending ? t('Its card') : t('Its history')}
          </Link>
        )}
      </p>
      {content.map((item, at) => (
        <pre
          key={at}
          className="rounded-md bg-sunken p-3 font-mono text-code wrap-anywhere whitespace-pre-wrap"
        >
          <UntrustedLines text={item.text ?? JSON.stringify(item, null, 2)} />
        </pre>
      ))}
      {structuredContent !== undefined && (
        <pre className="rounded-md bg-sunken p-3 font-mono text-code wrap-anywhere whitespace-pre-wrap">
          <UntrustedLines text={JSON.stringify(structuredContent, null, 2)} />
        </pre>
      )}
    </section>
  )
}
