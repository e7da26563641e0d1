import type { PersonFigures } from '../../../../src/api/history/insights.ts'
import { Avatar, nameOf } from '../../components/person.tsx'
import { number } from '../../lib/language/language.ts'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { aheadOfUtc } from '../../lib/time/zone.ts'
import { timeOf } from './bar-chart.tsx'
import { share } from './ends.ts'

const NIGHT = [22, 23, 0, 1, 2, 3, 4, 5]

/** Hours are counted in UTC; people live where their clock says. Half hours count with their hour. */
function atNight({ hours }: PersonFigures): number {
  const ahead = Math.round(aheadOfUtc(Date.now()) / 3_600_000)
  return hours.reduce((sum, n, hour) => sum + (NIGHT.includes((hour + ahead + 24) % 24) ? n : 0), 0)
}

const FACTS: readonly (readonly [Message, (one: PersonFigures) => string])[] = [
  [msg('Answered'), ({ answered }) => number(answered)],
  [
    msg('Approved'),
    ({ approved, answered }) => `${number(approved)} · ${share(approved, answered)}`,
  ],
  [msg('Denied'), ({ denied }) => number(denied)],
  [msg('Edited first'), ({ edited }) => number(edited)],
  [msg('Approved within 3 s of the question'), ({ quick }) => number(quick)],
  [msg('Answered from 22:00 to 6:00'), (one) => number(atNight(one))],
  [msg('Median time'), ({ medianMs }) => timeOf(medianMs)],
  [msg('95 % within'), ({ p95Ms }) => timeOf(p95Ms)],
]

/** The reader's own answers. */
export function OwnPace({ me }: { me: PersonFigures | undefined }) {
  return (
    <section className="frame" aria-label={t('How you answer')}>
      <header className="border-b border-line px-4 py-2.5">
        <h2 className="text-md font-semibold">{t('How you answer')}</h2>
        <p className="text-ink-2">
          {t(
            'Facts, not marks: a quick answer can be the right one. You see yours, admins see all.',
          )}
        </p>
      </header>
      {me === undefined ? (
        <p className="px-4 py-3 text-ink-2">{t('You answered nothing in this time.')}</p>
      ) : (
        <dl className="flex flex-wrap gap-px bg-line">
          {FACTS.map(([name, read], at) => (
            <div key={at} className="min-w-[150px] flex-1 bg-surface px-4 py-2.5">
              <dt className="text-xs text-ink-3">{say(name)}</dt>
              <dd className="font-semibold tabular-nums">{read(me)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

const CELL = 'px-2 py-1.5 text-right tabular-nums last:pr-4 max-wide:p-0 max-wide:text-left'

/** Everyone's, for admins. */
export function PeoplePace({ people }: { people: readonly PersonFigures[] }) {
  return (
    <section className="frame" aria-label={t('How people answer')}>
      <header className="border-b border-line px-4 py-2.5">
        <h2 className="text-md font-semibold">{t('How people answer')}</h2>
        <p className="text-ink-2">
          {t(
            'From the question to each person’s answer. Facts, not marks. Only admins see this table.',
          )}
        </p>
      </header>
      <table className="w-full border-collapse max-wide:block">
        <thead className="text-xs text-ink-3 max-wide:hidden">
          <tr>
            <th className="px-4 py-1.5 text-left font-medium">{t('Person')}</th>
            {FACTS.map(([name], at) => (
              <th key={at} className={`${CELL} max-w-28 align-bottom font-medium`}>
                {say(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-wide:block">
          {people.map((one) => (
            <tr
              key={`${one.person.issuer} ${one.person.subject}`}
              className="border-t border-line max-wide:grid max-wide:grid-cols-2 max-wide:gap-x-4 max-wide:gap-y-1 max-wide:px-4 max-wide:py-2.5"
            >
              <th
                scope="row"
                className="px-4 py-1.5 text-left font-normal max-wide:col-span-2 max-wide:p-0"
              >
                <span className="flex items-center gap-2 wrap-anywhere">
                  <Avatar person={one.person} small />
                  {nameOf(one.person)}
                </span>
              </th>
              {FACTS.map(([name, read], at) => (
                <td key={at} className={CELL}>
                  <span className="hidden pr-1.5 text-xs text-ink-3 max-wide:inline">
                    {say(name)}
                  </span>
                  <span className="whitespace-nowrap">{read(one)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
