import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { WireMember, WireRole } from '../../../src/api/people.ts'
import { sentenceOf, setRoles } from '../api.ts'
import { FormEnd } from './form-end.tsx'
import { nameOf } from './person.tsx'

const ROLES: readonly (readonly [WireRole, string])[] = [
  ['viewer', 'looks'],
  ['approver', 'answers calls any approver may decide, locks, makes grants'],
  ['admin', 'adds people, makes tokens, applies the policy, lifts locks'],
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
      <legend className="text-xs text-ink-3">Roles</legend>
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
            {role} <span className="text-ink-3">{does}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Changes a person's roles. */
export function Roles({ person }: { person: WireMember }) {
  const queries = useQueryClient()
  const [roles, setNext] = useState<readonly WireRole[]>()
  const [problem, setProblem] = useState('')
  if (roles === undefined) {
    return (
      <button type="button" className="btn btn-small" onClick={() => setNext(person.roles)}>
        Roles… <span className="sr-only">of {nameOf(person)}</span>
      </button>
    )
  }
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem('')
    try {
      await setRoles(person.id, roles)
      await queries.invalidateQueries()
      setNext(undefined)
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <form
      aria-label={`Roles of ${nameOf(person)}`}
      className="grid basis-full gap-2 rounded-md bg-sunken px-3 py-2"
      onSubmit={(event) => void onSubmit(event)}
    >
      <RoleBoxes roles={roles} onRoles={setNext} />
      <FormEnd
        send="Save roles"
        back="Keep"
        problem={problem}
        small
        onBack={() => setNext(undefined)}
      />
    </form>
  )
}
