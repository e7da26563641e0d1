import { createHash } from 'node:crypto'
import type { DeviceBody } from '../../api/channels/devices.ts'
import { samePerson } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import {
  DEVICE_RECORD,
  type Device,
  devicesOf,
  findDevice,
  PUSH_CHANNEL,
  PUSH_KINDS,
  type StoredDevice,
} from '../../store/records/device-record.ts'
import type { Store } from '../../store/store.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { hashSecret, newSecret, sameText } from '../identity/secret.ts'
import type { Sessions } from '../identity/sessions.ts'

/** Sends to devices. Made by the program that composes this server with its channels. */
export interface PushService {
  readonly publicKey: string
  /** Why messages cannot be sent there; undefined: they can. */
  refuses(subscription: Pick<Device, 'endpoint' | 'p256dh' | 'auth'>): string | undefined
  /** There is a device now. */
  added(): void
  /** Throws when it was not delivered; the message of the error is for the person. */
  test(device: StoredDevice): Promise<void>
}

/** Which browsers tell whom. A browser belongs to the person of the session it was turned on in. */
export interface Devices {
  readonly publicKey: string | undefined
  of(caller: PersonCaller): Promise<readonly StoredDevice[]>
  add(caller: PersonCaller, body: DeviceBody): Promise<{ device: StoredDevice; renewal: string }>
  /** The browser is in the hands of this person now: it is no longer a device of another. */
  seen(caller: PersonCaller, endpoint: string): Promise<StoredDevice | undefined>
  /** Throws `device_unknown`. */
  renew(body: Renewal): Promise<string>
  /** Throws `device_unknown` or `push_failed`. */
  test(caller: PersonCaller, id: string): Promise<void>
  /** False when it is not theirs. */
  remove(caller: PersonCaller, id: string): Promise<boolean>
}

export interface Renewal extends Pick<Device, 'endpoint' | 'p256dh' | 'auth'> {
  readonly was: string
  readonly renewal: string
}

/** Forgotten after this time without the inbox: browsers are lent, sold and lost. */
export const DEVICE_MS = 90 * 86_400_000
const MOST = 20

export function createDevices(
  { records, now, outbox }: Pick<Store, 'records' | 'now' | 'outbox'>,
  sessions: Pick<Sessions, 'live'>,
  push: PushService | undefined,
): Devices {
  function service(): PushService {
    if (push) return push
    throw new CountersignError('push_off', 'this server sends no push messages', {
      hint: 'Start it with a folder of keys; `countersign start` does.',
    })
  }

  function assertTaken(subscription: Pick<Device, 'endpoint' | 'p256dh' | 'auth'>): void {
    const why = service().refuses(subscription)
    if (why !== undefined)
      throw new CountersignError('usage', `this browser cannot be told: ${why}`)
  }

  async function put(id: string, device: Device, until: number, expect?: number | 'absent') {
    const options = { expiresAt: until, ...(expect === undefined ? {} : { expect }) }
    return records.put(DEVICE_RECORD, id, device as unknown as Json, options)
  }

  async function own({ account }: PersonCaller, id: string): Promise<StoredDevice> {
    const found = await findDevice(records, id)
    if (found && samePerson(found.person, account)) return found
    throw unknown()
  }

  return {
    publicKey: push?.publicKey,
    of: ({ account }) => devicesOf(records, [account]),
    async add(caller, { endpoint, p256dh, auth, name, zone }) {
      const subscription = { endpoint, p256dh, auth }
      assertTaken(subscription)
      const { issuer, subject } = caller.account
      const id = deviceId(endpoint)
      const others = (await devicesOf(records, [caller.account])).filter((one) => one.id !== id)
      if (others.length >= MOST) {
        throw new CountersignError('usage', `a person has at most ${MOST} devices`, {
          hint: 'Remove one that you no longer use.',
        })
      }
      const renewal = newSecret()
      const at = await now()
      const device: Device = {
        ...subscription,
        person: { issuer, subject },
        session: caller.session.id,
        key: service().publicKey,
        renewal: renewalHash(id, renewal),
        name,
        ...(zone === undefined || !isZone(zone) ? {} : { zone }),
        at,
      }
      await put(id, device, at + DEVICE_MS)
      // From now on: the first question after this is told, too.
      await outbox.open(PUSH_CHANNEL, PUSH_KINDS)
      service().added()
      // A person who signed out or was removed meanwhile did not see it among their devices.
      if ((await sessions.live([caller.session.id])).size === 0)
        await records.remove(DEVICE_RECORD, id)
      return { device: await own(caller, id), renewal }
    },
    async seen(caller, endpoint) {
      const id = deviceId(endpoint)
      const found = await findDevice(records, id)
      if (!found) return undefined
      if (!samePerson(found.person, caller.account)) {
        await records.remove(DEVICE_RECORD, id)
        return undefined
      }
      const { id: _, revision, seenAt: __, until: ___, ...device } = found
      const session = caller.session.id
      await put(id, { ...device, session }, (await now()) + DEVICE_MS, revision)
      if ((await sessions.live([caller.session.id])).size === 0)
        await records.remove(DEVICE_RECORD, id)
      return findDevice(records, id)
    },
    async renew({ was, renewal, ...subscription }) {
      assertTaken(subscription)
      const found = await findDevice(records, deviceId(was))
      const isIts = found && sameText(found.renewal, renewalHash(found.id, renewal))
      if (!isIts) throw unknown()
      const { id: _, revision, seenAt: __, until, ...device } = found
      const id = deviceId(subscription.endpoint)
      const next = newSecret()
      const renewed = { ...device, ...subscription, renewal: renewalHash(id, next) }
      if (id === found.id) {
        if (!(await put(id, renewed, until, revision))) throw unknown()
        return next
      }
      // The new one first: a crash leaves both, and what ends devices meanwhile finds one of them.
      if (!(await put(id, renewed, until, 'absent'))) throw unknown()
      // Once: of two that bring the same secret, one goes on.
      const taken = await records.remove(DEVICE_RECORD, found.id)
      if (!taken) {
        await records.remove(DEVICE_RECORD, id)
        throw unknown()
      }
      return next
    },
    async test(caller, id) {
      const { test } = service()
      const device = await own(caller, id)
      await test(device).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : 'it failed'
        throw new CountersignError('push_failed', `the push service did not take it: ${why}`)
      })
    },
    async remove(caller, id) {
      const found = await findDevice(records, id)
      if (!found || !samePerson(found.person, caller.account)) return false
      return (await records.remove(DEVICE_RECORD, id)) !== undefined
    },
  }
}

/** An endpoint is long and secret; the name of its record is neither. */
function deviceId(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('hex').slice(0, 40)
}

function renewalHash(id: string, secret: string): string {
  return hashSecret('device', JSON.stringify([id, secret]))
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

function unknown(): CountersignError {
  return new CountersignError('device_unknown', 'you have no such device', {
    hint: 'Turn notifications on again in the inbox.',
  })
}
