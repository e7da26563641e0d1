import { type FormEvent, useState } from 'react'
import type { WireMember, WireRole } from '../../../../src/api/people.ts'
import { useSetRoles } from '../../api/people.ts'
import { FormActions } from '../../components/form-actions.tsx'
import { nameOf } from '../../components/person.tsx'
import { rich } from '../../lib/language/rich.ts'
import { type Message, msg, say, t } from '../../lib/language/t.ts'

const ROLES: readonly (readonly [WireRole, Message])[] = [
  ['viewer', msg('looks')],
  ['approver', msg('answers calls any approver may decide, locks, makes grants')],
  ['author', msg('writes and publishes tools of the studio')],
  ['admin', msg('adds people, makes tokens, applies the policy, lifts locks')],
]

export function RoleBoxes({
  roles,
  onRoles,
}: {
  roles: readonly WireRole[]
  onRoles: (roles: readonly WireRole[]) => void
}) {
  return (
    <fieldset className="grid gap-1">
      <legend className="text-xs text-ink-3">{t('Roles')}</legend>
      {ROLES.map(([role, does]) => (
        <label key={role} className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            className="size-4"
            checked={roles.includes(role)}
            onChange={({ target }) =>
              onRoles(target.checked ? [...roles, role] : roles.filter((one) => one !== role))
            }
          />
          <span>
            {role} <span className="text-ink-3">{say(does)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Changes a person's roles. */
export function Roles({ person }: { person: WireMember }) {
  const save = useSetRoles(person.id)
  const [roles, setNext] = useState<readonly WireRole[]>()
  if (roles === undefined) {
    return (
      <button type="button" className="btn btn-small" onClick={() => setNext(person.roles)}>
        {rich('Roles… {name}', {
          name: <span className="sr-only">{rich('of {name}', { name: nameOf(person) })}</span>,
        })}
      </button>
    )
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(roles, { onSuccess: () => setNext(undefined) })
  }
  return (
    <form
      aria-label={t('Roles of {name}', { name: nameOf(person) })}
      className="grid basis-full gap-2 rounded-md bg-sunken px-3 py-2"
      onSubmit={onSubmit}
    >
      <RoleBoxes roles={roles} onRoles={setNext} />
      <FormActions
        send={t('Save roles')}
        back={t('Keep')}
        error={save.error}
        small
        onBack={() => setNext(undefined)}
      />
    </form>
  )
}
