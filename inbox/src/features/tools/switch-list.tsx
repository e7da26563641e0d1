import { useQuery } from '@tanstack/react-query'
import { ArrowRight, ToggleLeft } from 'lucide-react'
import { Link } from 'wouter'
import type { ListedSwitch } from '../../../../src/api/switches.ts'
import { errorMessage } from '../../api/errors.ts'
import { switchesQuery } from '../../api/servers.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { nameOf } from '../../components/person.tsx'
import { Verdict } from '../../components/verdict.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { toolAnchor } from './tool-words.ts'

/** What admins switched beside the files. Shows nothing when there are no switches. */
export function SwitchList() {
  const { data, error } = useQuery(switchesQuery)
  if (error) {
    return (
      <ErrorMessage
        text={t('What was switched is not known: {error}', { error: errorMessage(error) })}
      />
    )
  }
  if (data === undefined || data.switches.length === 0) return null
  const { switches, can } = data
  return (
    <section className="frame" aria-labelledby="switches">
      <h2
        id="switches"
        className="flex items-center gap-2 border-b border-line px-4 py-2.5 text-sm max-desk:px-3"
      >
        <ToggleLeft size={16} className="text-ink-3" aria-hidden="true" />
        <span className="flex-1">{t('Switched by admins, beside the files')}</span>
        <span className="font-medium text-ink-3">{switches.length}</span>
      </h2>
      <ul>
        {switches.map((one) => (
          <Row key={`${one.server}/${one.tool}`} one={one} mayUndo={can.includes('switch')} />
        ))}
      </ul>
    </section>
  )
}

function Row({ one, mayUndo }: { one: ListedSwitch; mayUndo: boolean }) {
  const { server, tool, on, by, at } = one
  const name = tool === undefined ? server : `${server}/${tool}`
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 last:border-b-0 max-desk:grid-cols-1 max-desk:px-3">
      <span className="min-w-0">
        <span className="block wrap-anywhere">
          <code className="font-semibold">{visibleText(name)}</code>
          {tool === undefined && t(', tools without a rule of their own')}:{' '}
          {on ? t('asking switched on') : t('asking switched off')}
        </span>
        <span className="block text-xs wrap-anywhere text-ink-3">
          {rich('by {name}, {time}', { name: nameOf(by), time: clock(at, serverNow(), false) })}
        </span>
      </span>
      <Effect one={one} />
      <Link
        href={`/tools#${toolAnchor(server, tool)}`}
        className="link max-desk:py-2"
        aria-label={`${mayUndo ? t('Undo under Tools') : t('See under Tools')}: ${visibleText(name)}`}
      >
        {mayUndo ? t('Undo under Tools') : t('See under Tools')}
      </Link>
    </li>
  )
}

function Effect({ one: { changes, fixed } }: { one: ListedSwitch }) {
  if (fixed !== undefined || changes === undefined) {
    return (
      <span className="text-xs wrap-anywhere text-ink-3">
        {rich('changes nothing: {why}', {
          why:
            fixed === undefined
              ? t('no file declares the server')
              : t('{at} decides', { at: visibleText(fixed.at) }),
        })}
      </span>
    )
  }
  return (
    <span className="flex items-center gap-1.5">
      <Verdict word={changes.from} />
      <ArrowRight size={13} className="text-ink-3" aria-hidden="true" />
      <span className="sr-only">{t('became')}</span>
      <Verdict word={changes.to} />
    </span>
  )
}
