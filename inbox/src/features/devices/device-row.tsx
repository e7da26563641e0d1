import { Smartphone } from 'lucide-react'
import type { WireDevice } from '../../../../src/api/channels/devices.ts'
import { useRemoveDevice, useTestDevice } from '../../api/devices.ts'
import { lastError } from '../../api/query-client.ts'
import { Chip } from '../../components/chip.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

interface DeviceRowProps {
  readonly device: WireDevice
  /** It is the browser that shows this page. */
  readonly isHere: boolean
}

export function DeviceRow({ device, isHere }: DeviceRowProps) {
  const remove = useRemoveDevice()
  const test = useTestDevice()
  const now = serverNow()
  const { id, name, at, seenAt } = device
  return (
    <section
      aria-label={t('Device {name}', { name })}
      className="grid gap-1.5 px-4 py-3 max-desk:px-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="flex min-w-0 flex-1 basis-60 items-center gap-3">
          <Smartphone size={16} className="flex-none text-ink-3" aria-hidden="true" />
          <div className="min-w-0">
            <h3 className="wrap-anywhere">
              <UntrustedText text={name} />
            </h3>
            <p className="text-xs text-ink-3">
              {rich('Added {time}; the inbox was last open on it {time2}', {
                time: clock(at, now, false),
                time2: clock(seenAt, now, false),
              })}
            </p>
          </div>
          {isHere && (
            <span className="flex-none">
              <Chip>{t('This device')}</Chip>
            </span>
          )}
        </div>
        <div className="flex flex-none gap-2 max-desk:w-full">
          <button
            type="button"
            className="btn btn-small max-desk:h-11 max-desk:flex-1"
            disabled={test.isPending}
            onClick={() => test.mutate(id)}
          >
            {t('Send a test')}
          </button>
          <button
            type="button"
            className="btn btn-small max-desk:h-11 max-desk:flex-1"
            disabled={remove.isPending}
            onClick={() => remove.mutate({ device: id, isHere })}
          >
            {isHere ? t('Turn off') : t('Remove')}
          </button>
        </div>
      </div>
      <p role="status" className="text-ink-2 empty:hidden">
        {test.isSuccess && t('Its push service took the message. It should appear in a moment.')}
      </p>
      <ErrorMessage error={lastError(test, remove)} inline />
    </section>
  )
}
