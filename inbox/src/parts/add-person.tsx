import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { WireRole } from '../../../src/api/people.ts'
import { addPerson, sentenceOf } from '../api.ts'
import { visibleText } from '../text/unseen.ts'
import { FormEnd } from './form-end.tsx'
import { RoleBoxes } from './roles.tsx'

/** Adds by address; makes no link, because its maker could use it. */
export function AddPerson({ onDone }: { onDone: () => void }) {
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [roles, setNext] = useState<readonly WireRole[]>(['viewer', 'approver'])
  const [problem, setProblem] = useState('')
  const [added, setAdded] = useState('')
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem('')
    try {
      const called = name.trim() === '' ? {} : { name: name.trim() }
      await addPerson({ email: email.trim(), roles, ...called })
      setAdded(email.trim())
      await queries.invalidateQueries({ queryKey: ['people'] })
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  if (added !== '') {
    return (
      <section aria-label="Added" className="frame grid gap-2 px-4 py-3" role="status">
        <p>
          <b>{visibleText(added)} may sign in.</b> With your sign-in provider, or once with the link
          that this prints on the server’s machine:
        </p>
        <code className="rounded-md bg-sunken px-3 py-2 wrap-anywhere">
          countersign open --as {visibleText(added)}
        </code>
        <button type="button" className="btn justify-self-start" onClick={onDone}>
          Done
        </button>
      </section>
    )
  }
  return (
    <form
      aria-label="Add a person"
      className="frame grid gap-2.5 px-4 py-3"
      onSubmit={(event) => void onSubmit(event)}
    >
      <h2 className="text-md">Add a person</h2>
      <p className="text-ink-2">You vouch that the address is theirs: rules go by it.</p>
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-60 flex-1"
          type="email"
          required
          aria-label="Address"
          placeholder="ana@example.com"
          maxLength={254}
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <input
          className="field min-w-40 flex-1"
          aria-label="Name, as others see it"
          placeholder="Name, as others see it"
          maxLength={256}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <RoleBoxes roles={roles} onRoles={setNext} />
      <FormEnd send="Add" problem={problem} onBack={onDone} />
    </form>
  )
}
