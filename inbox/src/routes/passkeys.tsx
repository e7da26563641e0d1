import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { WirePasskey } from '../../../src/api/passkeys.ts'
import { getPasskeys, removePasskey, sentenceOf } from '../api.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Loaded, Page } from '../parts/page.tsx'
import { makePasskey } from '../passkey.ts'
import { serverNow } from '../server-time.ts'
import { clock } from '../text/clock.ts'

export function PasskeysPage() {
  const queries = useQueryClient()
  const { data, error } = useQuery({ queryKey: ['passkeys'], queryFn: getPasskeys })
  const [problem, setProblem] = useState('')
  const change = async (act: () => Promise<unknown>) => {
    setProblem('')
    try {
      await act()
    } catch (cause) {
      setProblem(sentenceOf(cause))
    }
    await queries.invalidateQueries({ queryKey: ['passkeys'] })
  }
  return (
    <Page
      title="Your passkeys"
      says="Some calls can be approved only with a passkey. It signs one decision about one call: stealing your session is not enough to approve it."
    >
      {problem !== '' && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-1.5 text-bad">
          {problem}
        </p>
      )}
      <Loaded data={data} error={error}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <p className="text-ink-2">You have none here yet.</p>
          ) : (
            passkeys.map((passkey) => (
              <PasskeyCard
                key={passkey.id}
                passkey={passkey}
                onRemove={() => change(() => removePasskey(passkey.id))}
              />
            ))
          )
        }
      </Loaded>
      <NewPasskey onAdd={(name) => change(() => makePasskey(name))} />
    </Page>
  )
}

interface PasskeyCardProps {
  readonly passkey: WirePasskey
  readonly onRemove: () => Promise<void>
}

function PasskeyCard({ passkey, onRemove }: PasskeyCardProps) {
  const [asking, setAsking] = useState(false)
  const now = serverNow()
  const { name, createdAt, usedAt } = passkey
  return (
    <section aria-label={`Passkey ${name}`} className="frame px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <KeyRound size={16} className="flex-none text-ink-3" aria-hidden="true" />
        <h2 className="wrap-anywhere text-md">
          <Foreign text={name} />
        </h2>
        <span className="flex-1" />
        {asking ? (
          <fieldset className="flex flex-wrap items-center gap-2">
            <legend className="sr-only">Remove this passkey?</legend>
            <span className="text-ink-2">It decides nothing from then on.</span>
            <button type="button" className="btn btn-quiet" onClick={() => setAsking(false)}>
              Keep
            </button>
            <button type="button" className="btn" onClick={() => void onRemove()}>
              Remove
            </button>
          </fieldset>
        ) : (
          <button type="button" className="btn" onClick={() => setAsking(true)}>
            Remove…
          </button>
        )}
      </div>
      <p className="text-xs text-ink-3">
        Added {clock(createdAt, now)};{' '}
        {usedAt === undefined ? 'never used' : `last used ${clock(usedAt, now)}`}
      </p>
    </section>
  )
}

function NewPasskey({ onAdd }: { onAdd: (name: string) => Promise<void> }) {
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '' || busy) return
    setBusy(true)
    void onAdd(name.trim()).then(() => {
      setBusy(false)
      setName('')
    })
  }
  return (
    <form aria-label="Add a passkey" className="frame grid gap-2 px-4 py-3" onSubmit={onSubmit}>
      <h2 className="text-md">Add a passkey</h2>
      <div className="flex flex-wrap gap-2">
        <input
          className="field min-w-60 flex-1"
          aria-label="What you call it"
          placeholder="What you call it, such as “Laptop”"
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button type="submit" className="btn" disabled={name.trim() === '' || busy}>
          Add…
        </button>
      </div>
      <p className="text-xs text-ink-3">
        Your browser asks for a fingerprint, a face, a PIN or a security key. It works for the name
        this page has in the address bar, and within 15 minutes of signing in.
      </p>
    </form>
  )
}
