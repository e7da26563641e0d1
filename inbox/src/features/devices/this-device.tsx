import { BellOff, BellRing, type LucideIcon, TriangleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useTurnOn } from '../../api/devices.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { type Message, msg, say, t } from '../../lib/language/t.ts'
import { guessedName, type PushSupport, pushSupport } from '../../lib/push/subscription.ts'

interface ThisDeviceProps {
  /** Of the server; undefined: it sends no push messages. */
  readonly publicKey: string | undefined
  readonly isOn: boolean
}

const CANNOT: Readonly<Record<Exclude<PushSupport, 'able'>, Message>> = {
  blocked: msg(
    'Notifications of this page are blocked in this browser. Allow them in the settings that the browser shows beside the address, then load the page again.',
  ),
  'home-screen': msg(
    'On an iPhone or iPad, the inbox has to be on the home screen first: tap Share, then Add to Home Screen, and open it from there.',
  ),
  unable: msg('This browser takes no push messages.'),
}

/** Turns notifications on where the page is shown. Off again, and tests, are beside the device. */
export function ThisDevice({ publicKey, isOn }: ThisDeviceProps) {
  const support = pushSupport()
  if (publicKey === undefined) {
    return (
      <Says icon={BellOff}>
        {t('This server sends no push messages. Its operator can turn them on.')}
      </Says>
    )
  }
  if (isOn) {
    return (
      <Says icon={BellRing} look="text-good">
        {t('Notifications are on for this device.')}
      </Says>
    )
  }
  if (support !== 'able') {
    return (
      <Says icon={TriangleAlert} look="bg-warn-soft text-warn">
        {say(CANNOT[support])}
      </Says>
    )
  }
  return <TurnOn publicKey={publicKey} />
}

interface SaysProps {
  readonly icon: LucideIcon
  readonly look?: string
  readonly children: string
}

function Says({ icon: Icon, look = 'text-ink-2', children }: SaysProps) {
  return (
    <p className={`flex gap-3 px-4 py-3 max-desk:px-3 ${look}`}>
      <Icon size={16} className="mt-0.5 flex-none" aria-hidden="true" />
      {children}
    </p>
  )
}

function TurnOn({ publicKey }: { publicKey: string }) {
  const turnOn = useTurnOn()
  const [name, setName] = useState(guessedName)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    turnOn.mutate({ publicKey, name: name.trim() })
  }
  return (
    <form
      aria-label={t('Turn on for this device')}
      className="grid gap-2 px-4 py-3 max-desk:px-3"
      onSubmit={onSubmit}
    >
      <h3>{t('Turn on for this device')}</h3>
      <div className="flex flex-wrap gap-2">
        <input
          className="field h-[38px] min-w-40 flex-1"
          aria-label={t('What you call it')}
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button
          type="submit"
          className="btn btn-solid"
          disabled={name.trim() === '' || turnOn.isPending}
        >
          {t('Turn on')}
        </button>
      </div>
      <p className="text-xs text-ink-3">
        {t(
          'Your browser asks whether this page may send notifications. Messages are encrypted for this browser: the push service that brings them cannot read them.',
        )}
      </p>
      <ErrorMessage error={turnOn.error} inline />
    </form>
  )
}
