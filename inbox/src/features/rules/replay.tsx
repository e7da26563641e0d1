import { Link } from 'wouter'
import type { PolicyReplay } from '../../../../src/api/policy/rules.ts'
import { Figures } from '../../components/figures.tsx'
import { Verdict } from '../../components/verdict.tsx'
import { type Message, msg, plural, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

type Example = PolicyReplay['examples'][number]

const CHANGES: Readonly<Record<Example['change'], Message>> = {
  looser: msg('Asked less'),
  stricter: msg('Asked more'),
  other: msg('Other people or terms'),
  same: msg('The same'),
}

/** What recorded calls would get, and which of them to look at. */
export function Replay({ replay }: { replay: PolicyReplay }) {
  const { calls, same, stricter, looser, other, refused, hidden, examples } = replay
  const shown = examples.filter(({ change }) => change !== 'same')
  return (
    <section className="frame" aria-label={t('Recorded calls')}>
      <header className="border-b border-line px-4 py-2.5">
        <h2 className="text-md font-semibold">{t('Recorded calls')}</h2>
        <p className="text-ink-2">
          {calls === 0
            ? t('No recorded call to try it on.')
            : t(
                'What the newest {calls} that asked would get. Calls that ran without asking are not recorded.',
                { calls: plural(calls, '{n} call', '{n} calls') },
              )}
          {hidden > 0 &&
            ` ${t('{calls} with hidden values: rules see the mask.', { calls: plural(hidden, '{n} call', '{n} calls') })}`}
        </p>
      </header>
      {calls > 0 && (
        <Figures
          label={t('What would change')}
          figures={[
            { name: t('The same'), value: same },
            { name: t('Asked more'), value: stricter },
            {
              name: t('Asked less'),
              value: looser,
              of:
                refused > 0
                  ? t('{refused} of them denied or edited by people', { refused })
                  : undefined,
              isOpen: refused > 0,
            },
            { name: t('Other people or terms'), value: other },
          ]}
        />
      )}
      <ul>
        {shown.map((one) => (
          <li
            key={one.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2"
          >
            <span className="w-36 flex-none text-xs text-ink-3">{say(CHANGES[one.change])}</span>
            <Link href={`/history/${encodeURIComponent(one.id)}`} className="link min-w-0">
              <code className="wrap-anywhere">
                {one.server !== undefined && `${visibleText(one.server)}/`}
                {visibleText(one.tool)}
              </code>
            </Link>
            <span className="flex items-center gap-1.5">
              <Verdict word={one.before} />
              <span aria-hidden="true">→</span>
              <span className="sr-only">{t('becomes')}</span>
              <Verdict word={one.after} />
            </span>
            <span className="text-xs text-ink-3">
              {visibleText(one.status)}
              {one.edited && t(', edited')} · {visibleText(one.agent)} ·{' '}
              {clock(one.askedAt, serverNow())}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
