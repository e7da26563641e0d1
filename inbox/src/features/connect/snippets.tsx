import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../lib/language/t.ts'
import { snippetsFor } from './snippets.ts'

interface SnippetsProps {
  readonly url: string
  readonly token: string
  readonly agent: string
}

export function Snippets(props: SnippetsProps) {
  const all = snippetsFor(props)
  const [chosen, setChosen] = useState('mcp')
  const [copied, setCopied] = useState('')
  const snippet = all.find(({ id }) => id === chosen)
  if (snippet === undefined) return null
  const { code, says } = snippet
  return (
    <section aria-label={t('Snippet')} className="frame grid gap-3 p-4">
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">{t('How the agent calls tools')}</legend>
        {all.map(({ id, title: name }) => (
          <button
            key={id}
            type="button"
            aria-pressed={id === chosen}
            className={`chip h-8! px-2.5! max-desk:h-11! ${id === chosen ? 'tone-accent' : 'hover:bg-hover'}`}
            onClick={() => setChosen(id)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-60 text-ink-2">{says}</p>
        <button
          type="button"
          className="btn btn-small"
          onClick={() => void navigator.clipboard.writeText(code).then(() => setCopied(code))}
        >
          {copied === code ? (
            <Check size={14} aria-hidden="true" />
          ) : (
            <Copy size={14} aria-hidden="true" />
          )}
          {copied === code ? t('Copied') : t('Copy')}
        </button>
      </div>
      <pre
        data-snippet={chosen}
        className="rounded-md bg-sunken px-3 py-2.5 font-mono text-code wrap-anywhere whitespace-pre-wrap shadow-[inset_0_0_0_1px_var(--color-line)]"
      >
        {code}
      </pre>
    </section>
  )
}
