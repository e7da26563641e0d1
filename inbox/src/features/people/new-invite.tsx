import { type FormEvent, useState } from 'react'
import type { MadeInvite } from '../../../../src/api/people/invites.ts'
import type { WireRole } from '../../../../src/api/people.ts'
import { useMakeInvite } from '../../api/session/invites.ts'
import { FormActions } from '../../components/form-actions.tsx'
import { BASE_PATH } from '../../lib/base-path.ts'
import { rich } from '../../lib/language/rich.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { RoleBoxes } from './roles.tsx'
import { ShownOnce } from './shown-once.tsx'

const ENDS = [
  [1, msg('for a day')],
  [3, msg('for 3 days')],
  [7, msg('for a week')],
  [30, msg('for 30 days')],
] as const

/** Makes a link. The page holds its secret until it is closed, and no longer. */
export function NewInvite({ onDone }: { onDone: () => void }) {
  const make = useMakeInvite()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [days, setDays] = useState(3)
  const [roles, setRoles] = useState<readonly WireRole[]>(['viewer'])
  const [made, setMade] = useState<MadeInvite>()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const body = { email: email.trim(), name: name.trim(), roles, days }
    make.mutate(body, { onSuccess: setMade })
  }
  if (made !== undefined) return <Once made={made} onDone={onDone} />
  return (
    <form
      aria-label={t('Invite a person')}
      className="frame grid gap-2.5 px-4 py-3"
      onSubmit={onSubmit}
    >
      <h2 className="text-md">{t('Invite a person')}</h2>
      <p className="text-ink-2">
        {t(
          'You could use the link yourself, so they start as a viewer, and rules do not go by this address. Another admin gives the other roles.',
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-40 flex-1"
          required
          aria-label={t('Name, as others see it')}
          placeholder={t('Name, as others see it')}
          maxLength={256}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <input
          className="field min-w-60 flex-1"
          type="email"
          required
          aria-label={t('Address')}
          placeholder="gil@example.com"
          maxLength={254}
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <select
          className="field"
          aria-label={t('How long the link works')}
          value={days}
          onChange={({ target }) => setDays(Number(target.value))}
        >
          {ENDS.map(([value, word]) => (
            <option key={value} value={value}>
              {say(word)}
            </option>
          ))}
        </select>
      </div>
      <RoleBoxes roles={roles} onRoles={setRoles} />
      <FormActions
        send={t('Make the link')}
        error={make.error}
        disabled={make.isPending || name.trim() === ''}
        onBack={onDone}
      />
    </form>
  )
}

function Once({ made: { token, invite }, onDone }: { made: MadeInvite; onDone: () => void }) {
  const link = `${location.origin}${BASE_PATH}/#invite=${token}`
  return (
    <ShownOnce label={t('The link')} secret={link} onDone={onDone}>
      {rich(
        'The link for {name} is shown this once, and works once, for the first person who opens it.',
        { name: visibleText(invite.name) },
      )}
    </ShownOnce>
  )
}
