/** Browsers in which this person turned push messages on; this one among them. */

import { queryOptions } from '@tanstack/react-query'
import { t } from '../lib/language/t.ts'
import { keepDevice } from '../lib/push/kept-device.ts'
import { registerWorker } from '../lib/push/service-worker.ts'
import { deviceIdOf, ownSubscription, subscribe, unsubscribe } from '../lib/push/subscription.ts'
import { changeSettings } from '../lib/settings.ts'
import { call } from './client.ts'
import { DeviceError } from './errors.ts'
import { useWrite } from './query-client.ts'

export const devicesQuery = queryOptions({
  queryKey: ['devices'],
  queryFn: async () => {
    const list = await call('GET /v1/devices')
    const own = await ownSubscription()
    return { ...list, here: own && (await deviceIdOf(own.endpoint)) }
  },
})

const refetch = () => [devicesQuery.queryKey]

export interface NewDevice {
  readonly publicKey: string
  readonly name: string
}

async function turnOn({ publicKey, name }: NewDevice): Promise<void> {
  const made = await subscribe(publicKey).catch((error: unknown) => {
    throw new DeviceError(error instanceof Error ? error.message : t('The browser refused.'))
  })
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
  try {
    const { renewal } = await call('POST /v1/devices', { body: { ...made, name, zone } })
    await keepDevice({ endpoint: made.endpoint, key: publicKey, renewal })
  } catch (error) {
    await unsubscribe()
    throw error
  }
  // The page need not say what the service worker says.
  changeSettings({ notify: false })
}

export const useTurnOn = () => useWrite(turnOn, refetch)

export const useRemoveDevice = () =>
  useWrite(async ({ device, isHere }: { device: string; isHere: boolean }) => {
    await call('DELETE /v1/devices/:device', { params: { device } })
    if (isHere) await unsubscribe()
  }, refetch)

export const useTestDevice = () =>
  useWrite(
    (device: string) => call('POST /v1/devices/:device/test', { params: { device } }),
    refetch,
  )

let registered: Promise<void> | undefined

/** Whenever a person is signed in. What fails here is missed by the notifications alone. */
export async function start(): Promise<void> {
  registered ??= registerWorker()
  await registered.then(sayUsed).catch(() => {})
}

/**
 * Says that this browser is used by this person now. What it was turned on for another person, or
 * was turned off elsewhere, it takes back.
 */
async function sayUsed(): Promise<void> {
  const own = await ownSubscription()
  if (!own) return
  const { device } = await call('POST /v1/devices/seen', { body: { endpoint: own.endpoint } })
  if (!device) await unsubscribe()
}

/** When the person has signed out. */
export const leave = () => unsubscribe().catch(() => {})
