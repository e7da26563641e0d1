import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { AuditPage as Entries, WireActor, WireAuditEntry } from '../../../../src/api/audit.ts'
import { auditQuery } from '../../api/audit.ts'
import { assuranceWords, eventLook, systemName } from '../../components/event-look.ts'
import { Loaded, Page } from '../../components/page.tsx'
import { nameOf } from '../../components/person.tsx'
import { TONE_CLASSES } from '../../components/tone.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { day, exact } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { type AuditFilter, isNarrowed, NO_FILTER, requestOf } from './audit-filter.ts'
import { AuditFilters } from './audit-filters.tsx'
import { objectOf } from './audit-object.ts'
import { Chain } from './chain.tsx'

export function AuditPage() {
  const [filters, setFilters] = useState<AuditFilter>(NO_FILTER)
  const wanted = useDebounced(filters, 250)
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    auditQuery(requestOf(wanted, serverNow())),
  )
  const isFiltered = isNarrowed(filters)
  return (
    <Page
      title={t('Audit')}
      says={t('Everything that happened, newest first. Nothing here can be changed.')}
    >
      <AuditFilters filters={filters} onFilters={setFilters} />
      <div className="grid grid-cols-[minmax(0,1fr)_300px] items-start gap-3.5 max-wide:grid-cols-1">
        <Loaded data={data} error={error}>
          {({ pages }) => (
            <div className="grid gap-3.5">
              {pages.every(({ entries }) => entries.length === 0) ? (
                <p className="frame px-4 py-6 text-center text-ink-2">
                  {isFiltered ? t('No entry matches.') : t('Nothing was recorded yet.')}{' '}
                  {isFiltered && (
                    <button type="button" className="link" onClick={() => setFilters(NO_FILTER)}>
                      {t('Clear the filters')}
                    </button>
                  )}
                </p>
              ) : (
                <ol className="frame" aria-label={t('Entries')}>
                  {pages.flatMap((page, at) =>
                    page.entries.map((entry, place) => {
                      const before = page.entries[place - 1] ?? pages[at - 1]?.entries.at(-1)
                      return (
                        <Entry
                          key={`${entry.writer} ${entry.seq}`}
                          entry={entry}
                          page={page}
                          isNewDay={before === undefined || dayOf(before) !== dayOf(entry)}
                        />
                      )
                    }),
                  )}
                </ol>
              )}
              {hasNextPage && (
                <button
                  type="button"
                  className="btn justify-self-center"
                  disabled={isFetching}
                  onClick={() => void fetchNextPage()}
                >
                  {pages.at(-1)?.entries.length === 0
                    ? t('Look further back')
                    : t('Show older ones')}
                </button>
              )}
            </div>
          )}
        </Loaded>
        <Chain />
      </div>
    </Page>
  )
}

function actorName(by: WireActor | undefined, people: Entries['people']): string {
  if (by === undefined) return t('Countersign')
  if ('agent' in by) return visibleText(by.agent)
  if (!('person' in by)) return systemName(by.system) ?? visibleText(by.system)
  const { issuer, subject } = by.person
  const known = people.find((one) => one.issuer === issuer && one.subject === subject)
  return nameOf(known ?? by.person)
}

const dayOf = ({ event }: WireAuditEntry) => day(event.at)

interface EntryProps {
  readonly entry: WireAuditEntry
  readonly page: Entries
  /** The one before it in the list is of another day. */
  readonly isNewDay: boolean
}

function Entry({ entry, page, isNewDay }: EntryProps) {
  const [open, setOpen] = useState(false)
  const { event, refused, seq } = entry
  const [Icon, tone, words] = eventLook(event.type)
  const call = event.approval === undefined ? undefined : page.calls[event.approval]
  const object = objectOf(entry, page.people)
  const bad = refused !== undefined || event.code === 'failed'
  const sure = assuranceWords(event.assurance)
  return (
    <li data-entry={event.type} className="border-t border-line first:border-t-0">
      {isNewDay && (
        <h2 className="border-b border-line bg-sunken px-4 py-1 text-xs font-medium text-ink-2 max-desk:px-3">
          {dayOf(entry)}
        </h2>
      )}
      <button
        type="button"
        aria-expanded={open}
        className="grid w-full grid-cols-[28px_minmax(0,1fr)_auto_14px] items-start gap-x-3 px-4 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2 max-desk:gap-x-2.5 max-desk:px-3"
        onClick={() => setOpen(!open)}
      >
        <span
          className={`grid size-7 place-items-center rounded-full ${TONE_CLASSES[bad ? 'bad' : tone]}`}
        >
          <Icon size={15} aria-hidden="true" />
        </span>
        <span className="min-w-0 leading-[19px]">
          <b className="block wrap-anywhere">
            {visibleText(words)}
            {event.code !== undefined && `: ${visibleText(event.code)}`}
            {object !== '' && (
              <>
                : <span className="font-normal">{visibleText(object)}</span>
              </>
            )}
            {call !== undefined && (
              <>
                {' · '}
                <code className="font-normal">
                  {visibleText(
                    call.server === undefined ? call.tool : `${call.server}/${call.tool}`,
                  )}
                </code>
              </>
            )}
            {refused !== undefined &&
              ` ${t('(refused: {refused})', { refused: visibleText(refused) })}`}
          </b>
          <span className="block wrap-anywhere text-ink-2">
            {actorName(event.by, page.people)}
            {sure !== undefined && `, ${visibleText(sure)}`}
          </span>
        </span>
        <span className="grid justify-items-end leading-[19px] text-ink-2 tabular-nums">
          <time dateTime={new Date(event.at).toISOString()}>{exact(event.at)}</time>
          <span className="text-xs leading-[19px] text-ink-3">
            #{seq} <code className="text-xs">{entry.hash.slice(0, 8)}</code>
          </span>
        </span>
        <ChevronDown
          size={14}
          className={`mt-1 text-ink-3 ${open ? 'rotate-180' : ''}`}
          aria-hidden="true"
        />
      </button>
      {open && <Detail entry={entry} />}
    </li>
  )
}

/** One entry whole: what it says, and its place in its chain. */
function Detail({ entry: { event, writer, seq, prev, hash } }: { entry: WireAuditEntry }) {
  const { approval, facts = {}, status, execution, digest, by } = event
  const who = by && 'person' in by ? `${by.person.issuer} ${by.person.subject}` : undefined
  const rows = [
    [t('Kind'), event.type],
    [t('Who'), who],
    [t('Status'), [status, execution].filter(Boolean).join(', ') || undefined],
    [t('Digest'), digest],
    ...Object.entries(facts).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
    [t('Writer'), writer],
    [t('Number'), `${seq}`],
    [t('Hash'), hash],
    [t('Before it'), prev],
  ].filter((row): row is [string, string] => row[1] !== undefined)
  return (
    <div className="grid gap-2 border-t border-line bg-sunken px-4 py-2.5 max-desk:px-3">
      <dl className="grid grid-cols-[110px_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs leading-[18px]">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="wrap-anywhere text-ink-3">{visibleText(name)}</dt>
            <dd className="font-mono wrap-anywhere text-ink-2">{visibleText(value)}</dd>
          </div>
        ))}
      </dl>
      {approval !== undefined && (
        <p>
          <Link className="link" href={`/history/${encodeURIComponent(approval)}`}>
            {t('Everything about this call')}
          </Link>
        </p>
      )}
    </div>
  )
}
