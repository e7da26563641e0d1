import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ServerList, WireServer, WireServerTool } from '../../../../src/api/servers.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { Verdict } from '../../components/verdict.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { SignInAtServer } from '../servers/sign-in-at-server.tsx'
import { AskSwitch } from './ask-switch.tsx'
import { ToolRow } from './tool-row.tsx'
import { toolAnchor } from './tool-words.ts'

interface ToolTableProps {
  readonly server: WireServer
  readonly can: ServerList['can']
  readonly looking: boolean
}

/** One server with its tools. */
export function ToolTable({ server, can, looking }: ToolTableProps) {
  const { alias, tools, answer } = server
  const maySwitch = can.includes('switch')
  return (
    <section
      id={toolAnchor(alias)}
      className="frame"
      aria-label={t('Server {alias}', { alias: visibleText(alias) })}
    >
      <header className="grid grid-cols-[minmax(0,1fr)_auto_260px] items-start gap-x-4 gap-y-2 border-b border-line bg-sunken px-4 py-2.5 max-desk:grid-cols-1 max-desk:px-3">
        <div className="min-w-0">
          <h2 className="flex flex-wrap items-baseline gap-x-2 text-sm">
            <UntrustedText text={alias} />
            {server.description !== undefined && (
              <span className="font-normal wrap-anywhere text-ink-2">
                <UntrustedText text={server.description} />
              </span>
            )}
          </h2>
          <p className="text-xs leading-[18px] wrap-anywhere text-ink-3">
            {server.reached === undefined ? (
              t('No file says how it is reached.')
            ) : (
              <code>
                <UntrustedText text={server.reached} />
              </code>
            )}
            {server.at !== undefined && <> · {visibleText(server.at)}</>}
          </p>
          <Reach server={server} looking={looking} />
        </div>
        <div className="grid justify-items-start gap-0.5 text-xs text-ink-3">
          <span>
            {server.hosted ? t('Tools that no author asks about') : t('Tools without a rule')}
          </span>
          <Verdict word={answer.verdict} />
        </div>
        <AskSwitch
          name={
            server.hosted
              ? t('tools of the studio that no author asks about')
              : t('tools of {alias} without a rule of their own', { alias })
          }
          answer={answer}
          state={server.switch}
          may={maySwitch}
          target={{ server: alias }}
        />
      </header>
      <SignInAtServer server={server} can={can} />
      {tools.length === 0 ? (
        <p className="px-4 py-3 text-ink-2 max-desk:px-3">{noTools(server)}</p>
      ) : (
        <ToolRows tools={tools} server={alias} can={can} isStudio={server.hosted === true} />
      )}
    </section>
  )
}

/** Those of no server: agents run them behind a gate of their own. */
export function OwnTools({ tools }: { tools: readonly WireServerTool[] }) {
  return (
    <section className="frame" aria-label={t('In process')}>
      <header className="border-b border-line bg-sunken px-4 py-2.5 max-desk:px-3">
        <h2 className="text-sm">{t('In process')}</h2>
        <p className="text-xs leading-[18px] text-ink-3">
          {t(
            'Agents run these themselves, behind a gate of theirs. The policy decides; there is nothing to switch.',
          )}
        </p>
      </header>
      <ToolRows tools={tools} server={undefined} can={[]} isStudio={false} />
    </section>
  )
}

interface ToolRowsProps {
  readonly tools: readonly WireServerTool[]
  /** Absent: the tools belong to none. */
  readonly server: string | undefined
  readonly can: ServerList['can']
  readonly isStudio: boolean
}

function ToolRows({ tools, server, can, isStudio }: ToolRowsProps) {
  return (
    <table className="w-full table-fixed border-collapse text-left max-desk:block">
      <thead className="max-desk:sr-only">
        <tr className="border-b border-line text-xs text-ink-3">
          <Th className="w-[22%] pl-4">{t('Tool')}</Th>
          <Th className="w-[14%]">{t('Risk')}</Th>
          <Th className="w-[18%]">{t('A call gets')}</Th>
          <Th className="w-[18%]">{t('Ask a person')}</Th>
          <Th className="w-[12%]">{t('Doors')}</Th>
          <Th className="w-[16%] pr-4 text-right">{t('Asked, 30 days')}</Th>
        </tr>
      </thead>
      {tools.map((tool) => (
        <ToolRow key={tool.tool} server={server} tool={tool} can={can} isStudio={isStudio} />
      ))}
    </table>
  )
}

function noTools({ seen }: WireServer): string {
  if (seen === undefined) return t('Its tools were not listed yet.')
  return seen.problem === undefined
    ? t('It lists no tools.')
    : t('What it offers is not known until it can be reached.')
}

function Th({ className, children }: { className: string; children: ReactNode }) {
  return (
    <th scope="col" className={`px-2 py-2 font-medium ${className}`}>
      {children}
    </th>
  )
}

function Reach({ server: { seen, reached }, looking }: { server: WireServer; looking: boolean }) {
  if (reached === undefined) return null
  if (seen === undefined) {
    return (
      <p className="flex items-center gap-1.5 text-xs text-ink-3">
        {looking && (
          <LoaderCircle size={13} className="motion-safe:animate-spin" aria-hidden="true" />
        )}
        {looking ? t('Connecting…') : t('Not checked since the start.')}
      </p>
    )
  }
  const at = clock(seen.at, serverNow(), false)
  if (seen.problem !== undefined) {
    return (
      <p className="flex items-start gap-1.5 text-xs text-bad">
        <CircleX size={13} className="mt-0.5 flex-none" aria-hidden="true" />
        <span className="wrap-anywhere">
          {rich('Not reached at {at}: {problem}', {
            at,
            problem: <UntrustedText text={seen.problem} />,
          })}
        </span>
      </p>
    )
  }
  return (
    <>
      <p className="flex items-center gap-1.5 text-xs text-good">
        <CircleCheck size={13} className="flex-none" aria-hidden="true" />
        <span className="wrap-anywhere">
          {rich('Answered at {at}', { at })}
          {seen.name !== undefined && (
            <>
              {' '}
              {rich('as {Boolean}', {
                Boolean: (
                  <UntrustedText text={[seen.name, seen.version].filter(Boolean).join(' ')} />
                ),
              })}
            </>
          )}
        </span>
      </p>
      {seen.notes.map((note) => (
        <p key={note} className="text-xs wrap-anywhere text-warn">
          <UntrustedText text={note} />
        </p>
      ))}
    </>
  )
}
