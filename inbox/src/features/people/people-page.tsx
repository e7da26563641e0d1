import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Link2, Lock, LogIn } from 'lucide-react'
import { useState } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import type {
  PeopleList,
  RemovedPerson,
  WireMember,
  WireRemoved,
} from '../../../../src/api/people.ts'
import { peopleQuery, standInsQuery, useEndSessions, useRemovePerson } from '../../api/people.ts'
import { channelName } from '../../components/channel-name.ts'
import { Chip } from '../../components/chip.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Label, Loaded, Page } from '../../components/page.tsx'
import { Avatar, isSame, nameOf } from '../../components/person.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { msg, plural, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { AddPerson } from './add-person.tsx'
import { Invites } from './invites.tsx'
import { OnCall } from './on-call.tsx'
import { Roles } from './roles.tsx'
import { StandIns } from './stand-ins.tsx'
import { TableHead } from './table-head.tsx'
import { Tokens } from './tokens.tsx'

export function PeoplePage({ me }: { me: Me }) {
  const { data, error } = useQuery(peopleQuery)
  const [adding, setAdding] = useState(false)
  const [left, setLeft] = useState<RemovedPerson>()
  const isAdmin = data?.can.includes('change') ?? false
  return (
    <Page
      title={t('People')}
      says={t('Who may decide, for which groups, and which agents may ask.')}
      aside={
        isAdmin &&
        !adding && (
          <button type="button" className="btn" onClick={() => setAdding(true)}>
            {t('Add a person…')}
          </button>
        )
      }
    >
      {adding && <AddPerson onDone={() => setAdding(false)} />}
      {left !== undefined && <LeftBehind removed={left} />}
      <Loaded data={data} error={error}>
        {(list) => (
          <>
            <Members list={list} onRemoved={setLeft} />
            {!isAdmin && (
              <p className="text-ink-3">
                {t('Admins add people, change roles and make tokens for agents.')}
              </p>
            )}
            <OnCall />
            <StandIns people={list.people} />
          </>
        )}
      </Loaded>
      {me.roles.includes('admin') && <Invites />}
      {me.roles.includes('admin') && <Tokens />}
      {data?.removed !== undefined && data.removed.length > 0 && (
        <Removed removed={data.removed} now={data.now} />
      )}
    </Page>
  )
}

const byName = (one: WireMember, two: WireMember) => nameOf(one).localeCompare(nameOf(two))

const CELL =
  'border-t border-line px-2.5 py-2 align-middle first:pl-4 last:pr-4 max-desk:block max-desk:border-0 max-desk:px-0 max-desk:py-0.5 max-desk:first:col-span-2 max-desk:first:pl-0 max-desk:last:col-span-2 max-desk:last:pr-0'
const HEADS = [msg('Person'), msg('Roles'), msg('Groups'), msg('Signs in with')]
/** For admins. Below a wide screen the last two have no column: cells beside them say the same. */
const ADMIN_HEADS = [msg('Last sign-in'), msg('Told through'), msg('Last decision')]

function Members({
  list,
  onRemoved,
}: {
  list: PeopleList
  onRemoved: (removed: RemovedPerson) => void
}) {
  const isAdmin = list.can.includes('change')
  return (
    <section aria-label={t('People who may sign in')} className="frame">
      <table className="w-full border-collapse max-desk:block">
        <TableHead
          names={[...HEADS, ...(isAdmin ? ADMIN_HEADS : [])].map(say).concat('')}
          wide={[say(msg('Told through')), say(msg('Last decision'))]}
        />
        <tbody className="max-desk:block">
          {list.people.toSorted(byName).map((person) => (
            <Member key={person.id} person={person} list={list} onRemoved={onRemoved} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface MemberProps {
  readonly person: WireMember
  readonly list: PeopleList
  readonly onRemoved: (removed: RemovedPerson) => void
}

function Member({ person, list, onRemoved }: MemberProps) {
  const isAdmin = list.can.includes('change')
  const { roles, groups, locked, you, lastSignInAt, sessions = 0, issuer, email, invited } = person
  // Chosen by who came in with it, or by who invited them: another person may have this address.
  const isUnsure = email !== undefined && person.emailVerified === false
  return (
    <tr
      data-person={person.id}
      className="max-desk:grid max-desk:grid-cols-2 max-desk:gap-x-3 max-desk:border-t max-desk:border-line max-desk:px-3 max-desk:py-2.5 max-desk:first:border-t-0"
    >
      <td className={CELL}>
        <span className="flex items-center gap-2.5">
          <Avatar person={person} />
          <span className="grid min-w-0 leading-[18px] desk:min-w-24">
            <b className="wrap-anywhere">
              {nameOf(person)}
              {you && ` (${t('you')})`}
            </b>
            {email !== undefined && (isUnsure || visibleText(email) !== nameOf(person)) && (
              <span className="text-xs wrap-anywhere text-ink-3">
                {visibleText(email)}
                {isUnsure && ` ${t('· not verified')}`}
              </span>
            )}
            <Away person={person} now={list.now} />
          </span>
          {locked && (
            <Chip tone="warn" icon={Lock}>
              {t('Locked')}
            </Chip>
          )}
        </span>
      </td>
      <td className={CELL}>
        <Label>{t('Roles')}</Label>
        {roles.length === 0 ? t('No role') : roles.join(', ')}
        {isAdmin && (
          <span className={`${NARROW} text-xs text-ink-3`}>
            {rich('Last decision {time}', { time: decidedWords(person, list.now) })}
          </span>
        )}
        {invited !== undefined && (
          <span className="block text-xs text-ink-3">
            {rich('Invited by {name}', { name: nameOf(invited.by) })}
            {invited.wanted !== undefined &&
              ` ${t('as {wanted}: another admin gives these roles', { wanted: invited.wanted.join(', ') })}`}
          </span>
        )}
      </td>
      <td className={`${CELL} wrap-anywhere`}>
        <Label>{t('Groups')}</Label>
        {groups.length > 0 ? (
          visibleText(groups.join(', '))
        ) : (
          <span className="text-ink-3">{t('None')}</span>
        )}
        {isAdmin && (
          <span className={`${NARROW} text-xs text-ink-3`}>
            {rich('Told through {channels}', { channels: toldWords(person) })}
          </span>
        )}
      </td>
      <td className={CELL}>
        <Chip icon={issuer === 'local' ? Link2 : LogIn}>
          {issuer === 'local' ? t('Link') : visibleText(hostOf(issuer))}
        </Chip>
      </td>
      {isAdmin && (
        <td className={`${CELL} tabular-nums`}>
          <Label>{t('Last sign-in')}</Label>
          {lastSignInAt === undefined ? (
            <span className="text-ink-3">{t('Never')}</span>
          ) : (
            clock(lastSignInAt, list.now, false)
          )}
          {sessions > 0 && (
            <span className="block text-xs whitespace-nowrap text-ink-3">
              {plural(sessions, '{n} open session', '{n} open sessions')}
            </span>
          )}
        </td>
      )}
      {isAdmin && (
        <td className={`${CELL} max-wide:hidden max-desk:block`}>
          <Label>{t('Told through')}</Label>
          {toldWords(person)}
        </td>
      )}
      {isAdmin && (
        <td className={`${CELL} tabular-nums max-wide:hidden max-desk:block`}>
          <Label>{t('Last decision')}</Label>
          <span className={person.lastDecisionAt === undefined ? 'text-ink-3' : ''}>
            {decidedWords(person, list.now)}
          </span>
        </td>
      )}
      <td className={CELL}>
        <Acts person={person} isAdmin={isAdmin} onRemoved={onRemoved} />
      </td>
    </tr>
  )
}

/** Between a phone and a wide screen. */
const NARROW = 'hidden max-wide:block max-desk:hidden'

/** Every person who can sign in finds calls in the inbox. */
function toldWords({ told = [] }: WireMember): string {
  return [t('Inbox'), ...told.map(channelName)].join(', ')
}

function decidedWords({ lastDecisionAt }: WireMember, now: number): string {
  return lastDecisionAt === undefined ? t('Never') : clock(lastDecisionAt, now, false)
}

/** Who answers for them meanwhile: the parts of the page below say the rest. */
function Away({ person, now }: { person: WireMember; now: number }) {
  const { data } = useQuery(standInsQuery)
  const away = data?.standIns.filter((one) => isSame(one.absent, person) && one.from <= now) ?? []
  return away.map(({ id, standIn, until }) => (
    <span key={id} className="text-xs text-warn">
      {rich('Away until {time}; {name} stands in', {
        time: clock(until, now, false),
        name: nameOf(standIn),
      })}
    </span>
  ))
}

function hostOf(issuer: string): string {
  try {
    return new URL(issuer).host
  } catch {
    return issuer
  }
}

function Acts({ person, isAdmin, onRemoved }: Omit<MemberProps, 'list'> & { isAdmin: boolean }) {
  const endSessions = useEndSessions(person.id)
  const remove = useRemovePerson(person.id)
  const name = nameOf(person)
  const { you, sessions = 0 } = person
  const [isOpen, setOpen] = useState(false)
  return (
    <span className="grid justify-items-end gap-1.5 max-desk:justify-items-start">
      {/* Between a phone and a wide screen the table has no room for what admins have. */}
      {isAdmin && (
        <button
          type="button"
          className="icon-btn hidden max-wide:grid max-desk:hidden"
          aria-label={t('What can be done about {name}', { name })}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Ellipsis size={16} aria-hidden="true" />
        </button>
      )}
      <span
        className={`flex flex-wrap items-center justify-end gap-1.5 max-desk:justify-start max-desk:pt-1 ${isOpen || !isAdmin ? '' : 'max-wide:hidden max-desk:flex'}`}
      >
        {isAdmin && !you && <Roles person={person} />}
        {(you || (isAdmin && sessions > 0)) && (
          <ConfirmButton
            word={you ? t('Sign out everywhere') : t('End sessions')}
            about={t('of {name}', { name })}
            says={
              you
                ? t('All your sessions end, this one too.')
                : t('{name} is signed out at once, and may sign in again.', { name })
            }
            write={endSessions}
          />
        )}
        {isAdmin && !you && (
          <ConfirmButton
            word={t('Remove')}
            about={name}
            says={rich(
              '{name} is signed out and can no longer sign in. Their yes stops counting at once, also on calls that were approved and have not started; a no stays a no. Grants they made stop counting.',
              { name },
            )}
            write={remove}
            onDone={onRemoved}
          />
        )}
      </span>
    </span>
  )
}

/** The calls that a removal left with too few approvers. */
function LeftBehind({ removed: { person, unreachable } }: { removed: RemovedPerson }) {
  return (
    <section aria-label={t('What the removal did')} className="frame px-4 py-3" role="status">
      <p>
        <b>{rich('Removed {name}.', { name: nameOf(person) })}</b>{' '}
        {unreachable.length === 0
          ? t('Everything that waits can still be answered.')
          : t(
              'Too few approvers are left for these. Add a person, change the policy, or deny them:',
            )}
      </p>
      {unreachable.length > 0 && (
        <ul className="grid gap-1 pt-1.5">
          {unreachable.map(({ id, rule }) => (
            <li key={id}>
              <a className="link" href={`/approvals/${encodeURIComponent(id)}`}>
                {visibleText(id)}
              </a>{' '}
              <span className="text-ink-3">
                <UntrustedText text={rule} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Removed({ removed, now }: { removed: readonly WireRemoved[]; now: number }) {
  return (
    <section aria-label={t('Removed')} className="frame px-4 py-3">
      <h2 className="text-sm text-ink-2">
        {t('Removed, and kept out until they are added again')}
      </h2>
      <ul className="grid gap-0.5 pt-1">
        {removed.map((one) => (
          <li key={`${one.issuer} ${one.subject}`} className="wrap-anywhere text-ink-2">
            {visibleText(one.email ?? one.subject)}{' '}
            <span className="text-ink-3">
              {rich('since {time}', { time: clock(one.at, now, false) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
