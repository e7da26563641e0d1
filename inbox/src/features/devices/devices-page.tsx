import { useQuery } from '@tanstack/react-query'
import type { WireDevice } from '../../../../src/api/channels/devices.ts'
import { devicesQuery } from '../../api/devices.ts'
import { Loaded, Page } from '../../components/page.tsx'
import { Part } from '../../components/settings/setting.tsx'
import { t } from '../../lib/language/t.ts'
import { DeviceRow } from './device-row.tsx'
import { ThisDevice } from './this-device.tsx'
import { WhenAndWhere } from './when-and-where.tsx'

/** On which phones and browsers a person hears of calls that wait for them. */
export function DevicesPage() {
  const { data, error } = useQuery(devicesQuery)
  return (
    <Page
      title={t('Phone and notifications')}
      says={t(
        'Your devices show when a call waits for you, also while the inbox is closed. A notification names the tool, the agent and the deadline. It decides nothing: it opens the card, where you see the whole call.',
      )}
    >
      <Loaded data={data} error={error}>
        {({ publicKey, devices, here }) => (
          <Part
            title={t('Your devices')}
            says={t(
              'A device gets nothing more when you sign out on it, when it is removed here, or after 90 days without the inbox.',
            )}
          >
            <ThisDevice publicKey={publicKey} isOn={devices.some(({ id }) => id === here)} />
            {hereFirst(devices, here).map((device) => (
              <DeviceRow key={device.id} device={device} isHere={device.id === here} />
            ))}
          </Part>
        )}
      </Loaded>
      <WhenAndWhere />
    </Page>
  )
}

function hereFirst(devices: readonly WireDevice[], here: string | undefined) {
  return devices.toSorted((a, b) => Number(b.id === here) - Number(a.id === here) || a.at - b.at)
}
