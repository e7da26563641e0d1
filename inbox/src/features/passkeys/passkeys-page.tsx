import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { WirePasskey } from '../../../../src/api/passkeys.ts'
import { passkeysQuery, useMakePasskey, useRemovePasskey } from '../../api/passkeys.ts'
import { lastError } from '../../api/query-client.ts'
import { EmptyState } from '../../components/empty/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { TwoSteps } from '../../components/two-steps.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

export function PasskeysPage() {
  const { data, error } = useQuery(passkeysQuery)
  const make = useMakePasskey()
  const remove = useRemovePasskey()
  return (
    <Page
      title={t('Your passkeys')}
      says={t(
        'Some calls can be approved only with a passkey. It signs one decision about one call: stealing your session is not enough to approve it.',
      )}
    >
      <ErrorMessage error={lastError(make, remove)} />
      <Loaded data={data} error={error}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <EmptyState icon={KeyRound} title={t('You have none here yet.')}>
              <p>
                {t(
                  'Calls that ask for a passkey show it on their card. You can add one then, or now.',
                )}
              </p>
            </EmptyState>
          ) : (
            passkeys.map((passkey) => (
              <PasskeyCard
                key={passkey.id}
                passkey={passkey}
                onRemove={() => remove.mutate(passkey.id)}
              />
            ))
          )
        }
      </Loaded>
      <NewPasskey make={make} />
    </Page>
  )
}

interface PasskeyCardProps {
  readonly passkey: WirePasskey
  readonly onRemove: () => void
}

function PasskeyCard({ passkey, onRemove }: PasskeyCardProps) {
  const now = serverNow()
  const { name, createdAt, usedAt } = passkey
  return (
    <section aria-label={t('Passkey {name}', { name })} className="frame px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <KeyRound size={16} className="flex-none text-ink-3" aria-hidden="true" />
        <h2 className="wrap-anywhere text-md">
          <UntrustedText text={name} />
        </h2>
        <span className="flex-1" />
        <TwoSteps
          first={t('Remove')}
          question={t('Remove this passkey?')}
          says={t('It decides nothing from then on.')}
          deed={t('Remove')}
          onDeed={onRemove}
        />
      </div>
      <p className="text-xs text-ink-3">
        {rich('Added {time}; {part}', {
          time: clock(createdAt, now),
          part:
            usedAt === undefined
              ? t('never used')
              : t('last used {time}', { time: clock(usedAt, now) }),
        })}
      </p>
    </section>
  )
}

function NewPasskey({ make }: { make: ReturnType<typeof useMakePasskey> }) {
  const [name, setName] = useState('')
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') make.mutate(name.trim(), { onSuccess: () => setName('') })
  }
  return (
    <form
      aria-label={t('Add a passkey')}
      className="frame grid gap-2 px-4 py-3"
      onSubmit={onSubmit}
    >
      <h2 className="text-md">{t('Add a passkey')}</h2>
      <div className="flex flex-wrap gap-2">
        <input
          className="field h-[38px] min-w-40 flex-1"
          aria-label={t('What you call it')}
          placeholder={t('What you call it, such as “Laptop”')}
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button type="submit" className="btn" disabled={name.trim() === '' || make.isPending}>
          {t('Add…')}
        </button>
      </div>
      <p className="text-xs text-ink-3">
        {t(
          'Your browser asks for a fingerprint, a face, a PIN or a security key. It works for the name this page has in the address bar, and within 15 minutes of signing in.',
        )}
      </p>
    </form>
  )
}
