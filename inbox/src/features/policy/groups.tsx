import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { Link } from 'wouter'
import type { WirePerson } from '../../../../src/api/common.ts'
import type { PolicyStatus } from '../../../../src/api/policy.ts'
import { peopleQuery } from '../../api/people.ts'
import { Avatar, nameOf } from '../../components/person.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

type Group = PolicyStatus['groups'][number]

/** Who stands behind the names in the rules. Members come from the files, their names from accounts. */
export function Groups({ groups }: Pick<PolicyStatus, 'groups'>) {
  const { data } = useQuery(peopleQuery)
  if (groups.length === 0) return null
  return (
    <section className="frame" aria-labelledby="groups">
      <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
        <Users size={16} className="flex-none text-ink-3" aria-hidden="true" />
        <h2 id="groups" className="flex flex-1 gap-2 text-sm">
          {rich('Groups {groups}', {
            groups: <span className="font-medium text-ink-3">{groups.length}</span>,
          })}
        </h2>
        <Link className="link" href="/people">
          {t('People')}
        </Link>
      </header>
      <ul>
        {groups.map((group) => (
          <li
            key={group.name}
            data-group={group.name}
            className="grid grid-cols-[minmax(0,112px)_minmax(0,1fr)] gap-x-3 border-b border-line px-4 py-2 last:border-b-0 max-desk:px-3"
          >
            <b className="font-medium wrap-anywhere">{visibleText(group.name)}</b>
            <Members group={group} people={data?.people} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface MembersProps {
  readonly group: Group
  readonly people: readonly WirePerson[] | undefined
}

function Members({ group: { emails = [], claim }, people }: MembersProps) {
  if (claim !== undefined) {
    return (
      <span className="wrap-anywhere text-ink-2">
        {rich('whom the sign-in provider puts into {claim}', {
          claim: <code>{visibleText(claim)}</code>,
        })}
      </span>
    )
  }
  if (emails.length === 0) return <span className="text-warn">{t('no member')}</span>
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {emails.map((email) => {
        const known = people?.find((one) => one.email === email)
        return (
          <span
            key={email}
            className="flex min-w-0 items-center gap-1.5"
            title={visibleText(email)}
          >
            <Avatar person={known ?? { issuer: '', subject: email, email }} small />
            <span className="min-w-0 wrap-anywhere">
              {nameOf(known ?? { issuer: '', subject: email })}
              {people !== undefined && known === undefined && (
                <span className="text-xs text-warn"> {t('never signed in')}</span>
              )}
            </span>
          </span>
        )
      })}
    </span>
  )
}
