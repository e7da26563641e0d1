/** Push messages as the browser sees them: whether it takes any, and where. */
import { t } from '../language/t.ts'
import { keepDevice } from './kept-device.ts'

/** Why this browser takes no push messages now; `able`: it can, once the person agrees. */
export type PushSupport = 'able' | 'blocked' | 'home-screen' | 'unable'

export function pushSupport(): PushSupport {
  const canPush = 'serviceWorker' in navigator && 'PushManager' in window
  if (canPush && 'Notification' in window) {
    return Notification.permission === 'denied' ? 'blocked' : 'able'
  }
  return isApplePhone() ? 'home-screen' : 'unable'
}

/** There a page takes messages only once it is on the home screen. */
function isApplePhone(): boolean {
  const isTablet = navigator.platform === 'MacIntel' && navigator.maxTouchPoints > 1
  return /iPhone|iPad|iPod/.test(navigator.userAgent) || isTablet
}

export async function ownSubscription(): Promise<PushSubscription | undefined> {
  if (pushSupport() !== 'able') return undefined
  const worker = await navigator.serviceWorker.getRegistration()
  return (await worker?.pushManager.getSubscription()) ?? undefined
}

export interface Subscribed {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** Asks the person, then the browser. Throws a sentence for people when one of them says no. */
export async function subscribe(key: string): Promise<Subscribed> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error(t('The browser did not allow notifications for this page.'))
  }
  const worker = await navigator.serviceWorker.ready
  const before = await worker.pushManager.getSubscription()
  // One to another key of the server cannot be used any more.
  await before?.unsubscribe()
  const options = { userVisibleOnly: true, applicationServerKey: key }
  const made = await worker.pushManager.subscribe(options).catch((cause: unknown) => {
    throw new Error(t('The push service of this browser cannot be reached.'), { cause })
  })
  const { endpoint = '', keys = {} } = made.toJSON()
  return { endpoint, p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' }
}

/** Takes no more messages, and clears what stands on the screen. */
export async function unsubscribe(): Promise<void> {
  await keepDevice(undefined).catch(() => {})
  const worker = await navigator.serviceWorker?.getRegistration()
  const own = await worker?.pushManager?.getSubscription()
  await own?.unsubscribe()
  for (const shown of (await worker?.getNotifications()) ?? []) shown.close()
}

/** As the server names a device: by the hash of its endpoint. */
export async function deviceIdOf(endpoint: string): Promise<string> {
  const bytes = new TextEncoder().encode(endpoint)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...hash.subarray(0, 20)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS/, 'Firefox'],
  [/Chrome\/|CriOS/, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'Mac'],
  [/Windows/, 'Windows'],
  [/Linux|CrOS/, 'Linux'],
] as const

/** A first proposal; people call it what they like. */
export function guessedName(): string {
  const { userAgent } = navigator
  const named = (list: readonly (readonly [RegExp, string])[], other: string) =>
    list.find(([sign]) => sign.test(userAgent))?.[1] ?? other
  return `${named(BROWSERS, 'Browser')} on ${named(SYSTEMS, 'this device')}`
}
