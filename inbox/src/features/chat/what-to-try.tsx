import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { WireChatTool } from '../../../../src/api/chat/conversation.ts'
import { chatToolsQuery } from '../../api/chat.ts'
import { errorMessage } from '../../api/errors.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { Verdict } from '../../components/verdict.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

const EXAMPLES = [
  'Pay Northwind 18,400',
  'Pay Northwind 18,400 and mail lena@example.com that it is done',
  'When is the team free on Thursday? Look in the calendar',
] as const

interface ExamplesProps {
  readonly isBusy: boolean
  readonly onStart: (text: string) => void
}

/** They call sample tools, which are there with the demo alone. */
export function Examples({ isBusy, onStart }: ExamplesProps) {
  return (
    <ul className="grid gap-1.5" aria-label={t('Examples')}>
      {EXAMPLES.map((text) => (
        <li key={text}>
          <button
            type="button"
            className="frame w-full px-3.5 py-2.5 text-left text-ink-2 hover:bg-hover hover:text-ink"
            disabled={isBusy}
            onClick={() => onStart(text)}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  )
}

const MOST = 8

interface OwnToolsProps {
  readonly isAdmin: boolean
  /** The rehearsal model understands little but names of tools. */
  readonly isRehearsal: boolean
}

/** What the model can call here, or where tools come from. */
export function OwnTools({ isAdmin, isRehearsal }: OwnToolsProps) {
  const { data, error } = useQuery(chatToolsQuery)
  if (error)
    return (
      <p className="text-ink-3">
        {rich('The tools are not known: {error}', { error: errorMessage(error) })}
      </p>
    )
  if (data === undefined) return <p className="text-ink-3">{t('Looking for tools…')}</p>
  const { tools, problems } = data
  return (
    <section aria-label={t('Tools of this chat')} className="grid gap-2">
      {tools.length === 0 ? <NoTools isAdmin={isAdmin} /> : <ToolList tools={tools} />}
      {isRehearsal && tools[0] && (
        <p className="text-ink-2">
          {rich('The rehearsal model calls a tool by its name: {value}', {
            value: (
              <code className="wrap-anywhere">
                <UntrustedText text={tools[0].name} /> {'{"key": "value"}'}
              </code>
            ),
          })}
        </p>
      )}
      {problems.map((problem) => (
        <p key={problem} className="wrap-anywhere text-ink-3">
          <UntrustedText text={problem} />
        </p>
      ))}
    </section>
  )
}

function ToolList({ tools }: { tools: readonly WireChatTool[] }) {
  const left = tools.length - MOST
  return (
    <>
      <ul className="frame">
        {tools.slice(0, MOST).map(({ name, verdict, description = '' }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 border-b border-line px-3.5 py-2 last:border-b-0"
          >
            <span className="min-w-0">
              <code className="wrap-anywhere">
                <UntrustedText text={name} />
              </code>
              <span className="block truncate text-xs text-ink-3">
                <UntrustedText text={description.split('\n')[0] ?? ''} />
              </span>
            </span>
            <Verdict word={verdict} />
          </li>
        ))}
      </ul>
      <p className="text-ink-3">
        {left > 0 && `${t('And {left} more.', { left })} `}
        <Link href="/tools" className="link">
          {t('All tools, and what is asked about them')}
        </Link>
      </p>
    </>
  )
}

function NoTools({ isAdmin }: { isAdmin: boolean }) {
  if (!isAdmin) {
    return (
      <p className="text-ink-2">{t('There are no tools yet. An admin adds them under Tools.')}</p>
    )
  }
  return (
    <div className="frame grid gap-1.5 px-3.5 py-3 text-ink-2">
      <p>{t('There are no tools yet, so the model can only talk.')}</p>
      <p className="flex flex-wrap gap-x-4 gap-y-1">
        <Link href="/tools" className="link max-desk:py-2">
          {t('Add an MCP server')}
        </Link>
        <Link href="/studio" className="link max-desk:py-2">
          {t('Write a tool')}
        </Link>
      </p>
    </div>
  )
}
