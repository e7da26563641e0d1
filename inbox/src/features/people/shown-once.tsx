import { Copy, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../lib/language/t.ts'

interface Props {
  readonly label: string
  readonly secret: string
  readonly onDone: () => void
  /** Whose it is, and that it is not shown again. */
  readonly children: ReactNode
}

/** A secret, shown once: the page keeps it nowhere else. */
export function ShownOnce({ label, secret, onDone, children }: Props) {
  const [copied, setCopied] = useState(false)
  return (
    <section aria-label={label} className="frame grid gap-2.5 border-warn-line px-4 py-3">
      <p className="flex items-start gap-2">
        <TriangleAlert size={16} className="mt-0.5 flex-none text-warn" aria-hidden="true" />
        <span>
          <b>{t('Copy it now.')}</b> {children}
        </span>
      </p>
      <code data-secret="" className="rounded-md bg-sunken px-3 py-2 wrap-anywhere select-all">
        {secret}
      </code>
      <span className="flex flex-wrap gap-2">
        <button
          type="button"
          className="btn"
          onClick={() => {
            void navigator.clipboard
              ?.writeText(secret)
              .then(() => setCopied(true))
              .catch(() => {})
          }}
        >
          <Copy size={14} aria-hidden="true" /> {copied ? t('Copied') : t('Copy')}
        </button>
        <button type="button" className="btn btn-solid" onClick={onDone}>
          {t('I have it')}
        </button>
      </span>
    </section>
  )
}
