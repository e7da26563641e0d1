import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../lib/language/t.ts'

/** A line to take elsewhere: an address, a command. */
export function CopyLine({ line }: { line: string }) {
  const [isCopied, setCopied] = useState(false)
  const Icon = isCopied ? Check : Copy
  return (
    <span className="inline-flex max-w-full items-center gap-2 rounded-md bg-sunken py-1 pr-1 pl-3 shadow-[inset_0_0_0_1px_var(--color-line)]">
      <code className="min-w-0 text-left wrap-anywhere">{line}</code>
      <button
        type="button"
        className="btn btn-small flex-none"
        onClick={() => void navigator.clipboard?.writeText(line).then(() => setCopied(true))}
      >
        <Icon size={14} aria-hidden="true" />
        {isCopied ? t('Copied') : t('Copy')}
      </button>
    </span>
  )
}
