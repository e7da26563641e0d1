import { DoorOpen } from 'lucide-react'
import { Link } from 'wouter'
import type { WireWay } from '../../../../src/api/servers.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

/** Whatever lets calls run without asking, each with what to do about it. */
export function Bypasses({ ways }: { ways: readonly WireWay[] }) {
  const isOpen = ways.length > 0
  return (
    <section className={`frame ${isOpen ? 'border-bad-line' : ''}`} aria-labelledby="ways">
      <h2
        id="ways"
        className="flex items-center gap-2 border-b border-line px-4 py-2.5 text-sm max-desk:px-3"
      >
        <DoorOpen size={16} className={isOpen ? 'text-bad' : 'text-ink-3'} aria-hidden="true" />
        <span className="flex-1">{t('Ways around the gate')}</span>
        <span className="font-medium text-ink-3">{ways.length}</span>
      </h2>
      <ul>
        {ways.map((way) => (
          <li
            key={`${way.kind} ${way.server} ${way.tool} ${way.says}`}
            className="border-b border-line px-4 py-2 leading-[19px] max-desk:px-3"
          >
            <p className="wrap-anywhere">
              <Subject way={way} />
              {visibleText(way.says)}
              {way.until !== undefined &&
                ` ${t('It ends {time}.', { time: clock(way.until, serverNow(), false) })}`}
            </p>
            <p className="wrap-anywhere text-ink-2">
              {way.kind === 'grant' ? (
                <Link href="/grants" className="link">
                  {visibleText(way.fix)}
                </Link>
              ) : (
                visibleText(way.fix)
              )}
              {way.at !== undefined && (
                <code className="pl-2 text-xs text-ink-3">{visibleText(way.at)}</code>
              )}
            </p>
          </li>
        ))}
      </ul>
      <p className="px-4 py-2 text-xs leading-[18px] text-ink-3 max-desk:px-3">
        {isOpen ? '' : `${t('None that is known here.')} `}
        {t(
          'Not visible from here: agents that hold a server’s credential themselves, tools that run at the model’s provider, and code that calls a tool without its gate.',
        )}
      </p>
    </section>
  )
}

function Subject({ way: { server, tool } }: { way: WireWay }) {
  if (server === undefined && tool === undefined) return null
  const name = [server, tool].filter((part) => part !== undefined).join('/')
  return (
    <>
      <code className="font-semibold">{visibleText(name)}</code>
      {tool === undefined ? ': ' : ' '}
    </>
  )
}
