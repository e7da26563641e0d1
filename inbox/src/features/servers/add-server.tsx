import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { commandText, entryText } from '../../../../src/api/mcp/server-entry.ts'
import type { ServerList, TestedServer } from '../../../../src/api/servers.ts'
import { useDraftServer, useTestServer } from '../../api/servers.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { ConfirmCommand } from './confirm-command.tsx'
import { ReachedBy } from './reached-by.tsx'
import { entryOf, type ServerWish, type ToolWish } from './server-wish.ts'
import { ToolWishes } from './tool-wishes.tsx'

const EMPTY: ServerWish = {
  alias: '',
  kind: 'url',
  url: '',
  command: '',
  header: '',
  variable: '',
}

interface AddServerProps {
  readonly can: ServerList['can']
  readonly onDone: () => void
}

/** Writes a server into the policy file. What the file says is a draft until an admin applies it. */
export function AddServer({ can, onDone }: AddServerProps) {
  const [wish, setWish] = useState(EMPTY)
  const [tools, setTools] = useState<readonly ToolWish[]>([])
  const [isConfirming, setConfirming] = useState(false)
  const test = useTestServer()
  const draft = useDraftServer()
  const isCommand = wish.kind === 'command'
  const mayTry = !isCommand || can.includes('commands')
  const isReady = wish.alias !== '' && (isCommand ? wish.command : wish.url).trim() !== ''
  const entry = entryOf(wish, tools)
  const set = (some: Partial<ServerWish>) => {
    setWish({ ...wish, ...some })
    setConfirming(false)
    draft.reset()
    if ('url' in some || 'kind' in some || 'command' in some) {
      setTools([])
      test.reset()
    }
  }
  const run = () => {
    const tried = entryOf(wish)
    const body = isCommand ? { ...tried, runs: commandText(tried) } : tried
    test.mutate(body, {
      onSuccess: (found) => setTools(wishesOf(found)),
      onSettled: () => setConfirming(false),
    })
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady || !mayTry) return
    if (isCommand) setConfirming(true)
    else run()
  }
  return (
    <section aria-label={t('Add a server')} className="frame grid gap-3 px-4 py-3.5">
      <h2 className="text-md">{t('Add a server')}</h2>
      <form className="grid gap-2.5" aria-label={t('How it is reached')} onSubmit={onSubmit}>
        <ReachedBy wish={wish} onWish={set} />
        {mayTry ? (
          <span className="flex flex-wrap items-center gap-2">
            <button type="submit" className="btn" disabled={!isReady || test.isPending}>
              {t('Test connection')}
            </button>
            <span className="text-xs text-ink-3">
              {t(
                'Lists its tools and keeps nothing. Only variables that begin with MCP_ are filled in.',
              )}
            </span>
          </span>
        ) : (
          <p className="text-xs text-ink-3">
            {rich(
              'This server starts no command from the inbox: that needs {code}. Add the lines to the file yourself; once it is applied, Look again lists the tools.',
              { code: <code>countersign start --mcp-commands</code> },
            )}
          </p>
        )}
      </form>
      {isConfirming && (
        <ConfirmCommand
          entry={entry}
          isRunning={test.isPending}
          onRun={run}
          onBack={() => setConfirming(false)}
        />
      )}
      <ErrorMessage error={test.error} />
      {test.data?.problem !== undefined && <ErrorMessage text={test.data.problem} />}
      {tools.length > 0 && (
        <ToolWishes
          tools={tools}
          onTools={(next) => {
            draft.reset()
            setTools(next)
          }}
        />
      )}
      {isReady && (
        <label className="grid gap-1 text-xs text-ink-3">
          {can.includes('add')
            ? t('Lines for the policy file')
            : t('Add these lines to the policy file')}
          <textarea
            className="field min-h-36 font-mono text-code"
            readOnly
            value={entryText(entry)}
            onFocus={({ target }) => target.select()}
          />
        </label>
      )}
      <ErrorMessage error={draft.error} />
      {draft.data ? (
        <p role="status" className="rounded-md border border-good-line bg-good-soft px-3 py-2">
          {rich('Written into the policy file, and not in force. {link}', {
            link: (
              <Link href="/policy" className="link">
                {t('Look at the difference and apply it')}
              </Link>
            ),
          })}
        </p>
      ) : (
        <p className="text-ink-2">{saysOf(can)}</p>
      )}
      <span className="flex flex-wrap gap-2">
        {can.includes('add') && mayTry && (
          <button
            type="button"
            className="btn btn-solid"
            disabled={!isReady || draft.isPending || draft.data !== undefined}
            onClick={() => draft.mutate(entry)}
          >
            {t('Write the draft')}
          </button>
        )}
        <button type="button" className="btn" onClick={onDone}>
          {t('Close')}
        </button>
      </span>
    </section>
  )
}

function saysOf(can: ServerList['can']): string {
  return can.includes('add')
    ? t(
        'The draft is these lines in the policy file, and nothing else in it changes. They are in force once an admin applies them under Policy.',
      )
    : t(
        'The policy of this server comes from code, so nothing is written from here: add the lines where the policy is made.',
      )
}

function wishesOf({ tools }: TestedServer): readonly ToolWish[] {
  return tools.map(({ tool }) => ({ tool, isOffered: true, isAsked: true }))
}
