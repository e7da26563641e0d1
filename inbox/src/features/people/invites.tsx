import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WireInvite } from '../../../../src/api/people/invites.ts'
import { invitesQuery, useRevokeInvite } from '../../api/session/invites.ts'
import { Chip, type Tone } from '../../components/chip.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Label, Loaded, PartHead } from '../../components/page.tsx'
import { nameOf } from '../../components/person.tsx'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { NewInvite } from './new-invite.tsx'
import { TableHead } from './table-head.tsx'

/** Links that make an account, once, and what became of them. */
export function Invites() {
  const { data, error } = useQuery(invitesQuery)
  const [making, setMaking] = useState(false)
  return (
    <>
      <PartHead
        title={t('Invitations')}
        says={t(
          'A link that signs one person in, once. They start as a viewer; another admin gives them more.',
        )}
        aside={
          !making && (
            <button type="button" className="btn" onClick={() => setMaking(true)}>
              {t('Invite a person…')}
            </button>
          )
        }
      />
      {making && <NewInvite onDone={() => setMaking(false)} />}
      <Loaded data={data} error={error}>
        {({ invites, now }) =>
          invites.length === 0 ? (
            <p className="frame px-4 py-3 text-ink-2 max-desk:px-3">{t('No invitations.')}</p>
          ) : (
            <section aria-label={t('Invitations')} className="frame">
              <table className="w-full border-collapse max-desk:block">
                <TableHead
                  names={[t('Person'), t('Invited as'), t('By'), t('Works until'), t('State'), '']}
                />
                <tbody className="max-desk:block">
                  {invites.map((invite) => (
                    <InviteRow key={invite.id} invite={invite} now={now} />
                  ))}
                </tbody>
              </table>
            </section>
          )
        }
      </Loaded>
    </>
  )
}

/** The name of a role, as the policy writes it. */
const VIEWER = 'viewer'

const STATES: Readonly<Record<WireInvite['state'], readonly [Tone, Message]>> = {
  open: ['open', msg('Open')],
  used: ['good', msg('Used')],
  revoked: ['bad', msg('Revoked')],
  ended: ['plain', msg('Ended')],
}

const CELL =
  'border-t border-line px-2.5 py-2 align-middle first:pl-4 last:pr-4 max-desk:block max-desk:border-0 max-desk:px-0 max-desk:py-0.5 max-desk:first:pl-0 max-desk:last:pr-0'

function InviteRow({ invite, now }: { invite: WireInvite; now: number }) {
  const revoke = useRevokeInvite(invite.id)
  const { name, email, roles, by, until, state, usedAt } = invite
  const [tone, word] = STATES[state]
  return (
    <tr
      data-invite={invite.id}
      className="max-desk:block max-desk:border-t max-desk:border-line max-desk:px-3 max-desk:py-2.5 max-desk:first:border-t-0"
    >
      <td className={CELL}>
        <b className="wrap-anywhere">{visibleText(name)}</b>
        <span className="block text-xs wrap-anywhere text-ink-3">{visibleText(email)}</span>
      </td>
      <td className={CELL}>
        <Label>{t('Invited as')}</Label>
        {roles.length === 0 ? VIEWER : roles.join(', ')}
      </td>
      <td className={`${CELL} wrap-anywhere`}>
        <Label>{t('By')}</Label>
        {nameOf(by)}
      </td>
      <td className={`${CELL} tabular-nums`}>
        <Label>{t('Works until')}</Label>
        {clock(until, now, false)}
      </td>
      <td className={CELL}>
        <Chip tone={tone}>
          {say(word)}
          {usedAt !== undefined && ` ${clock(usedAt, now, false)}`}
        </Chip>
      </td>
      <td className={`${CELL} text-right max-desk:text-left`}>
        {state === 'open' && (
          <ConfirmButton
            word={t('Revoke')}
            about={t('the invitation of {name}', { name: visibleText(name) })}
            says={t('The link signs no one in from then on.')}
            write={revoke}
          />
        )}
      </td>
    </tr>
  )
}
