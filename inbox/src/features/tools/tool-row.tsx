import { ChevronRight, Lock, Quote } from 'lucide-react'
import { Suspense, useId, useState } from 'react'
import { Link } from 'wouter'
import type { RiskLevel } from '../../../../src/api/common.ts'
import type { ServerList, WireServerTool } from '../../../../src/api/servers.ts'
import { Chip } from '../../components/chip.tsx'
import { RiskText } from '../../components/risk.tsx'
import { UntrustedLines, UntrustedText } from '../../components/untrusted-text.tsx'
import { Verdict } from '../../components/verdict.tsx'
import { number } from '../../lib/language/language.ts'
import { rich } from '../../lib/language/rich.ts'
import { say, t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { AskSwitch } from './ask-switch.tsx'
import { answerFrom, askedWords, doorName, riskWhy, STATE_WORDS, toolAnchor } from './tool-words.ts'

const TryTool = lazy(() => import('../try-tool/try-tool.tsx'), 'TryTool')

interface ToolRowProps {
  /** Absent: it belongs to none, and the policy alone decides. */
  readonly server: string | undefined
  readonly tool: WireServerTool
  readonly can: ServerList['can']
  /** Written in the studio. */
  readonly isStudio: boolean
}

const CELL = 'px-2 py-2 align-top max-desk:block max-desk:px-3 max-desk:py-1'

export function ToolRow({ server, tool, can, isStudio }: ToolRowProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const { answer, change } = tool
  return (
    <tbody
      id={server === undefined ? undefined : toolAnchor(server, tool.tool)}
      className="border-b border-line last:border-b-0 max-desk:block max-desk:py-2"
    >
      <tr className="max-desk:grid max-desk:grid-cols-2">
        <th scope="row" className={`${CELL} pl-4 text-left font-normal max-desk:col-span-2`}>
          <button
            type="button"
            aria-expanded={open}
            aria-controls={id}
            className="flex min-h-6 max-w-full items-center gap-1 rounded-xs text-left hover:text-accent max-desk:min-h-11"
            onClick={() => setOpen(!open)}
          >
            <ChevronRight
              size={14}
              className={`flex-none text-ink-3 ${open ? 'rotate-90' : ''}`}
              aria-hidden="true"
            />
            <code className="wrap-anywhere">{visibleText(tool.tool)}</code>
          </button>
        </th>
        <td className={CELL}>
          <RiskText risk={tool.risk as RiskLevel | undefined} />
        </td>
        <td className={CELL}>
          {change === undefined ? (
            <>
              <Verdict word={answer.verdict} />
              {answer.depends && (
                <span className="pl-1.5 text-xs text-ink-3">{t('by arguments')}</span>
              )}
              <span className="block text-xs wrap-anywhere text-ink-3">{from(tool)}</span>
            </>
          ) : (
            <Chip tone="warn" icon={Lock}>
              {t('In quarantine')}
            </Chip>
          )}
        </td>
        <td className={CELL}>
          {server === undefined ? (
            <span className="text-ink-2">{askedWords(answer)}</span>
          ) : (
            <AskSwitch
              name={tool.tool}
              answer={answer}
              state={tool.switch}
              may={can.includes('switch')}
              target={{ server, tool: tool.tool }}
            />
          )}
        </td>
        <td className={`${CELL} text-ink-2`}>
          <span className="text-ink-3 desk:hidden">{t('Doors:')} </span>
          <span className="wrap-anywhere">
            {tool.doors.length === 0 ? t('none yet') : tool.doors.map(doorName).sort().join(', ')}
          </span>
        </td>
        <td className={`${CELL} pr-4 text-right text-ink-2 max-desk:text-left`}>
          <Lately tool={tool} />
        </td>
      </tr>
      {open && (
        <tr id={id} className="max-desk:block">
          <td colSpan={6} className="px-4 pt-1 pb-4 max-desk:block max-desk:px-3">
            <Details tool={tool} isStudio={isStudio} />
            {server !== undefined &&
              can.includes('try') &&
              change === undefined &&
              tool.inputSchema !== undefined && (
                <Suspense fallback={<div aria-busy="true" />}>
                  <TryTool server={server} tool={tool} />
                </Suspense>
              )}
          </td>
        </tr>
      )}
    </tbody>
  )
}

/** How often people were asked, what they said, and when it was last called. */
function Lately({ tool: { lately, usedAt } }: { tool: WireServerTool }) {
  const { asked, approved, denied } = lately
  const outcomes = [
    ...(approved > 0 ? [`${number(approved)} ${t('approved')}`] : []),
    ...(denied > 0 ? [`${number(denied)} ${t('denied')}`] : []),
  ].join(', ')
  return (
    <>
      <span className="text-ink-3 desk:hidden">{t('Asked, 30 days:')} </span>
      <span className="tabular-nums text-ink">{number(asked)}</span>
      {asked > 0 && (
        <span className="block text-xs tabular-nums text-ink-3">
          {outcomes || t('none decided')}
        </span>
      )}
      {usedAt !== undefined && (
        <span className="block text-xs text-ink-3">
          {rich('used {time}', { time: clock(usedAt, serverNow(), false) })}
        </span>
      )}
    </>
  )
}

function from({ answer }: WireServerTool): string {
  return [answerFrom(answer), answer.at].filter((part) => part !== undefined).join(', ')
}

function Details({ tool, isStudio }: { tool: WireServerTool; isStudio: boolean }) {
  return (
    <div className="grid gap-2.5 pb-3">
      <p className="text-ink-2">
        {tool.risk === undefined
          ? t('Its risk is not rated')
          : t('Risk {risk}: {tool}', {
              risk: tool.risk,
              tool: visibleText(riskWhy(tool, isStudio)),
            })}
        {t('. Definition: {state}.', { state: say(STATE_WORDS[tool.state]) })}
        {isStudio && (
          <>
            {' '}
            <Link href={`/studio/${encodeURIComponent(tool.tool)}`} className="link">
              {t('Open in Studio')}
            </Link>
          </>
        )}
      </p>
      {tool.description !== undefined && (
        <div className="claimed max-desk:px-3">
          <h3 className="flex items-center gap-[7px] text-claim-ink">
            <Quote size={15} aria-hidden="true" />
            {isStudio ? t('What its author says of it') : t('What its server says of it')}
          </h3>
          <blockquote className="mt-1.5 max-w-[76ch] border-l-2 border-claim-line pl-3 wrap-anywhere">
            <UntrustedLines text={tool.description} />
          </blockquote>
        </div>
      )}
      {tool.description === undefined &&
        tool.agents?.map(({ agent, definition, description }) => (
          <div key={agent ?? ''} className="claimed max-desk:px-3">
            <h3 className="flex items-center gap-[7px] text-claim-ink">
              <Quote size={15} aria-hidden="true" />
              {rich('What {agent} says of its own', {
                agent:
                  agent === undefined ? (
                    t('a gate without an agent’s name')
                  ) : (
                    <UntrustedText text={agent} />
                  ),
              })}
            </h3>
            <blockquote className="mt-1.5 max-w-[76ch] border-l-2 border-claim-line pl-3 wrap-anywhere">
              <UntrustedLines text={description ?? t('Nothing.')} />
            </blockquote>
            <p className="mt-1 text-xs text-ink-3">
              {rich('Definition {value}', { value: definition.slice(0, 12) })}
            </p>
          </div>
        ))}
    </div>
  )
}
