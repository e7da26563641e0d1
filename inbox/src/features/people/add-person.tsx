import { type FormEvent, useState } from 'react'
import type { WireRole } from '../../../../src/api/people.ts'
import { useAddPerson } from '../../api/people.ts'
import { FormActions } from '../../components/form-actions.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { RoleBoxes } from './roles.tsx'

/** Adds by address; makes no link, because its maker could use it. */
export function AddPerson({ onDone }: { onDone: () => void }) {
  const add = useAddPerson()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [roles, setNext] = useState<readonly WireRole[]>(['viewer', 'approver'])
  const [added, setAdded] = useState('')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const called = name.trim() === '' ? {} : { name: name.trim() }
    const person = { email: email.trim(), roles, ...called }
    add.mutate(person, { onSuccess: () => setAdded(person.email) })
  }
  if (added !== '') {
    return (
      <section aria-label={t('Added')} className="frame grid gap-2 px-4 py-3" role="status">
        <p>
          {rich(
            '{added} With your sign-in provider, or once with the link that this prints on the server’s machine:',
            { added: <b>{rich('{added} may sign in.', { added: visibleText(added) })}</b> },
          )}
        </p>
        <code className="rounded-md bg-sunken px-3 py-2 wrap-anywhere">
          countersign open --as {visibleText(added)}
        </code>
        <button type="button" className="btn justify-self-start" onClick={onDone}>
          {t('Done')}
        </button>
      </section>
    )
  }
  return (
    <form
      aria-label={t('Add a person')}
      className="frame grid gap-2.5 px-4 py-3"
      onSubmit={onSubmit}
    >
      <h2 className="text-md">{t('Add a person')}</h2>
      <p className="text-ink-2">{t('You vouch that the address is theirs: rules go by it.')}</p>
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-60 flex-1"
          type="email"
          required
          aria-label={t('Address')}
          placeholder="ana@example.com"
          maxLength={254}
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <input
          className="field min-w-40 flex-1"
          aria-label={t('Name, as others see it')}
          placeholder={t('Name, as others see it')}
          maxLength={256}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <RoleBoxes roles={roles} onRoles={setNext} />
      <FormActions send={t('Add')} error={add.error} onBack={onDone} />
    </form>
  )
}
