import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import type { Insights } from '../../../../src/api/history/insights.ts'
import { insightsQuery } from '../../api/insights.ts'
import { Figures } from '../../components/figures.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { RiskText } from '../../components/risk.tsx'
import { ruleName } from '../../lib/approval/rule-name.ts'
import { number } from '../../lib/language/language.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock, utcDay } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { aheadOfUtc } from '../../lib/time/zone.ts'
import { GrantIdeas } from '../policy/grant-ideas.tsx'
import { BarChart, timeOf } from './bar-chart.tsx'
import { share } from './ends.ts'
import { FigureTable } from './figure-table.tsx'
import { OwnPace, PeoplePace } from './pace.tsx'

const SPANS = [7, 30, 90, 365] as const

export function InsightsPage() {
  const [params, setParams] = useSearchParams()
  const days = SPANS.find((span) => String(span) === params.get('days')) ?? 30
  const { data, error } = useQuery(insightsQuery(days))
  return (
    <Page
      title={t('Insights')}
      says={t('What asks, how it ends and how long people take. Days begin at midnight UTC.')}
      aside={
        <fieldset className="seg">
          <legend className="sr-only">{t('How far back')}</legend>
          {SPANS.map((span) => (
            <button
              key={span}
              type="button"
              aria-pressed={days === span}
              onClick={() =>
                setParams(new URLSearchParams({ days: String(span) }), { replace: true })
              }
            >
              {span === 365 ? t('1 year') : t('{span} days', { span })}
            </button>
          ))}
        </fieldset>
      }
    >
      <Loaded data={data} error={error}>
        {(insights) => <Parts insights={insights} />}
      </Loaded>
    </Page>
  )
}

function Parts({ insights }: { insights: Insights }) {
  const { total, tools, agents, groups, rules, hours, unruled } = insights
  if (total.asked === 0 && !insights.behind) {
    return (
      <>
        <p className="frame px-4 py-8 text-center text-ink-2">
          {t(
            'Nothing was asked in this time. Numbers appear with the first call that needs a person.',
          )}
        </p>
        <OwnPace me={insights.me} />
      </>
    )
  }
  return (
    <>
      {insights.behind && insights.until !== undefined && (
        <p role="status" className="frame border-warn-line bg-warn-soft px-4 py-2.5">
          {rich('Still counting: what was recorded after {time} is not in these numbers yet.', {
            time: clock(insights.until, serverNow()),
          })}
        </p>
      )}
      <Figures
        label={t('Numbers of this time')}
        figures={[
          { name: t('Asked'), value: number(total.asked) },
          {
            name: t('Approved'),
            value: number(total.approved),
            of: `${share(total.approved, total.asked)}${total.byGrant === 0 ? '' : t(', {byGrant} by a grant', { byGrant: number(total.byGrant) })}`,
          },
          { name: t('Denied'), value: number(total.denied), of: share(total.denied, total.asked) },
          {
            name: t('Expired'),
            value: number(total.expired),
            of: share(total.expired, total.asked),
          },
          {
            name: t('Edited'),
            value: number(total.edited),
            of: t('{edited} of the approved', { edited: share(total.edited, total.approved) }),
          },
          {
            name: t('Median time to decide'),
            value: timeOf(total.medianMs),
            of:
              total.p95Ms === undefined
                ? undefined
                : t('95 % within {p95Ms}', { p95Ms: timeOf(total.p95Ms) }),
          },
        ]}
      />
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] gap-3.5 max-wide:grid-cols-[minmax(0,1fr)]">
        <BarChart
          title={t('Asked per day')}
          says={t('Each question on the day it was asked, by how it ended.')}
          of={t('Day')}
          bars={insights.days.map(({ day: at, ...figures }) => ({
            name: utcDay(at),
            figures,
          }))}
        />
        <BarChart
          title={t('Asked per hour of the day')}
          says={t('By the hour on your clock; the table has the time to decide for each.')}
          of={t('Hour')}
          bars={localHours(hours)}
        />
      </div>
      <FigureTable
        title={t('Rules that ask most')}
        says={t('The noisiest first. A rule whose calls are always approved may ask too often.')}
        of={t('Rule')}
        rows={rules.slice(0, 12).map(({ source, rule, ...figures }) => ({
          id: `${source} ${rule}`,
          name: <code title={visibleText(rule)}>{visibleText(ruleName(rule))}</code>,
          figures,
        }))}
      />
      <GrantIdeas />
      <FigureTable
        title={t('Tools')}
        says={t('Shares are of what was asked; edited is of what was approved.')}
        of={t('Tool')}
        rows={tools.slice(0, 12).map(({ tool, server, ...figures }) => ({
          id: JSON.stringify([server, tool]),
          name: <ToolLink tool={tool} server={server} />,
          figures,
        }))}
      />
      <FigureTable
        title={t('Agents')}
        says={t('Who asked.')}
        of={t('Agent')}
        rows={agents.slice(0, 12).map(({ agent, ...figures }) => ({
          id: agent,
          name: (
            <Link className="link" href={`/history?${new URLSearchParams({ agent })}`}>
              {visibleText(agent)}
            </Link>
          ),
          figures,
        }))}
      />
      <FigureTable
        title={t('Groups')}
        says={t('Whose approval was asked for; the time is until all of it was decided.')}
        of={t('Group')}
        rows={groups.map(({ group, ...figures }) => ({
          id: group,
          name: visibleText(group),
          figures,
        }))}
      />
      <FigureTable
        title={t('Tools that no rule names')}
        says={t(
          'Only the default asked for them: nothing says who should decide, or how risky they are.',
        )}
        of={t('Tool')}
        rows={unruled.slice(0, 12).map(({ tool, server, risk, ...figures }) => ({
          id: JSON.stringify([server, tool, risk]),
          name: (
            <span className="flex flex-wrap items-center gap-x-3">
              <ToolLink tool={tool} server={server} />
              <RiskText risk={risk} guessed={undefined} />
            </span>
          ),
          figures,
        }))}
      />
      <OwnPace me={insights.me} />
      {insights.people !== undefined && insights.people.length > 0 && (
        <PeoplePace people={insights.people} />
      )}
    </>
  )
}

function ToolLink({ tool, server }: { tool: string; server?: string | undefined }) {
  const filter = new URLSearchParams({ tool, ...(server === undefined ? {} : { server }) })
  return (
    <Link className="link" href={`/history?${filter}`}>
      <code>
        {server !== undefined && `${visibleText(server)}/`}
        {visibleText(tool)}
      </code>
    </Link>
  )
}

/** Counted by the hour in UTC, shown from midnight on the reader's clock. */
function localHours(hours: Insights['hours']) {
  const minutes = aheadOfUtc(Date.now()) / 60_000
  return hours
    .map(({ hour, ...figures }) => ({ at: (hour * 60 + minutes + 1_440) % 1_440, figures }))
    .sort((a, b) => a.at - b.at)
    .map(({ at, figures }) => ({
      name: `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`,
      figures,
    }))
}
