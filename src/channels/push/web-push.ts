import { createHash } from 'node:crypto'
import { samePerson } from '../../approval/people/person.ts'
import { refusedAddress } from '../../base/net/egress.ts'
import { type Channel, NotDelivered, type Share } from '../../gate/notify/channel.ts'
import {
  allDevices,
  DEVICE_RECORD,
  type Device,
  findDevice,
  PUSH_CHANNEL,
  PUSH_KINDS,
  type StoredDevice,
} from '../../store/records/device-record.ts'
import type { Store } from '../../store/store.ts'
import { post, type Reach } from '../post.ts'
import { areKeys, encrypt, type PushKeys } from './encrypt.ts'
import { digestPayload, messageFor, type PushMessage, type PushPayload } from './message.ts'
import { createVapid, type VapidKey } from './vapid.ts'

export interface WebPushOptions extends Reach {
  readonly store: Pick<Store, 'records' | 'now'>
  readonly key: VapidKey
  /** How a push service reaches the operator: `mailto:…` or `https://…`. */
  readonly contact: string
  /** Where the inbox is, once that is known. */
  readonly home: () => string | undefined
  readonly share?: Share | undefined
}

export interface WebPush {
  readonly channel: Channel
  readonly publicKey: string
  /** Why messages cannot be sent to this subscription; undefined: they can. */
  refuses(subscription: PushKeys & { readonly endpoint: string }): string | undefined
  /** There is a device now. Other processes notice by themselves, within a second. */
  added(): void
  /** Sends a message that is about no call. Throws `NotDelivered`. */
  test(device: StoredDevice): Promise<void>
}

/** A push service answers so when the browser took its subscription back. */
const GONE = [404, 410]
const TEST_TTL_S = 60
/** The next digest takes its place. */
const DIGEST_TTL_S = 86_400
const LOOK_MS = 1_000

/** Push messages to the browsers that people turned on. They tell; deciding happens in the inbox. */
export function webPush(options: WebPushOptions): WebPush {
  const { store, key, allowHosts = [], timeout, resolve, home } = options
  const { records } = store
  const reach = { allowHosts, timeout, resolve }
  const vapid = createVapid(key, options.contact)
  let hasDevices = false
  let lookedAt = Number.NEGATIVE_INFINITY

  async function push(
    device: StoredDevice,
    payload: PushPayload,
    { urgency, ttl }: Pick<PushMessage, 'urgency' | 'ttl'>,
    signal: AbortSignal,
  ): Promise<void> {
    const url = new URL(device.endpoint)
    const headers = {
      authorization: vapid(url),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(ttl),
      urgency,
      topic: topicOf(payload.notification.tag),
    }
    const body = encrypt(JSON.stringify(payload), device)
    try {
      await post(url, { body, headers, signal }, reach, GONE)
    } catch (error) {
      // Only what was tried: the browser may have named another endpoint meanwhile.
      if (error instanceof NotDelivered && error.gone) await forget(device)
      throw error
    }
  }

  async function forget({ id, revision }: StoredDevice): Promise<void> {
    const found = await records.get(DEVICE_RECORD, id)
    if (found?.revision === revision) await records.remove(DEVICE_RECORD, id)
  }

  /** Undefined when it was turned off, is another person's by now, or belongs to an older key. */
  async function deviceAt(address: string): Promise<StoredDevice | undefined> {
    const device = await findDevice(records, deviceIn(address))
    if (!device || addressOf(device) !== address) return undefined
    if (device.key === key.publicKey) return device
    await forget(device)
    return undefined
  }

  const channel: Channel = {
    name: PUSH_CHANNEL,
    share: options.share ?? 'name',
    kinds: PUSH_KINDS,
    async isIdle() {
      if (hasDevices || performance.now() - lookedAt < LOOK_MS) return !hasDevices
      lookedAt = performance.now()
      hasDevices = (await records.list(DEVICE_RECORD, { limit: 1 })).records.length > 0
      return !hasDevices
    },
    async addresses(_, people) {
      const devices = await allDevices(records)
      return devices
        .filter(({ person }) => people.some((one) => isSame(one, person)))
        .map((device) => addressOf(device))
    },
    async sendDigest(notices, signal, address) {
      const device = await deviceAt(address)
      if (!device) return
      const payload = digestPayload(notices, home() ?? '/')
      await push(device, payload, { urgency: 'normal', ttl: DIGEST_TTL_S }, signal)
    },
    async send(notice, signal, delivery) {
      if (!delivery) throw new TypeError('push messages go to addresses')
      const device = await deviceAt(delivery.address)
      if (!device) return { ref: 'closed' }
      const message = messageFor(notice, delivery, {
        zone: device.zone,
        now: await store.now(),
        home: home() ?? '/',
      })
      if (message.payload) await push(device, message.payload, message, signal)
      return { ref: message.state }
    },
  }

  return {
    channel,
    publicKey: key.publicKey,
    added() {
      hasDevices = true
    },
    refuses({ endpoint, ...keys }) {
      const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
      if (url?.username !== '' || url.password !== '') return 'its endpoint is no address'
      const isAllowed = allowHosts.includes(url.host) || allowHosts.includes(url.hostname)
      if (url.protocol !== 'https:' && !isAllowed) return 'its endpoint is not an https address'
      return refusedAddress(url, allowHosts) ?? (areKeys(keys) ? undefined : 'its keys are none')
    },
    async test(device) {
      const payload = testPayload(home() ?? '/')
      await push(
        device,
        payload,
        { urgency: 'high', ttl: TEST_TTL_S },
        new AbortController().signal,
      )
    },
  }
}

function testPayload(navigate: string): PushPayload {
  return {
    web_push: 8030,
    notification: {
      title: 'Countersign reaches this device',
      body: 'Calls that wait for you are shown like this. Nothing is decided here.',
      navigate,
      tag: 'cs-test',
      lang: 'en',
      renotify: true,
    },
  }
}

/** A device with its person: a browser that changes hands is not told what became of older calls. */
function addressOf({ id, person: { issuer, subject } }: Pick<Device, 'person'> & { id: string }) {
  const person = createHash('sha256').update(JSON.stringify([issuer, subject]))
  return `${id}.${person.digest('hex').slice(0, 32)}`
}

function deviceIn(address: string): string {
  return address.slice(0, address.indexOf('.'))
}

function isSame(one: { issuer?: string; subject: string }, person: Device['person']): boolean {
  return (
    one.issuer !== undefined && samePerson({ issuer: one.issuer, subject: one.subject }, person)
  )
}

/** At most 32 letters; a push service learns no id of ours. */
function topicOf(tag: string): string {
  return createHash('sha256').update(tag).digest('base64url').slice(0, 32)
}
