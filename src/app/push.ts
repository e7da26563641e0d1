import { CountersignError, isCountersignError } from '../base/errors.ts'
import type { WebPush } from '../channels/push/web-push.ts'
import { SHARES, type Share } from '../gate/notify/channel.ts'
import { allDevices } from '../store/records/device-record.ts'
import type { Store } from '../store/store.ts'
import type { KeyFolder } from '../store/vault.ts'

export interface PushOptions {
  /** How push services reach the operator, `mailto:…` or `https://…`: the inbox unless set. */
  readonly contact?: string | undefined
  /** `message`: also what a `message_template` says. The name of the tool alone unless set. */
  readonly share?: Share | undefined
  /** Push services inside your own network, as for webhooks. */
  readonly allowHosts?: readonly string[] | undefined
  /** Makes another key, where the one before is lost. Every device is turned on again. */
  readonly newKey?: boolean | undefined
}

export interface PushParts {
  readonly store: Store
  readonly keys: KeyFolder
  readonly options: PushOptions
  /** Where the inbox is, once that is known. */
  readonly home: () => string | undefined
  readonly report: (line: string) => void
}

/** Push messages of this server; undefined where its key is not on this machine. */
export async function openPush(parts: PushParts): Promise<WebPush | undefined> {
  const { store, keys, options, home, report } = parts
  const [{ webPush }, { openVapidKey, replaceVapidKey }, { createSecretBox }] = await Promise.all([
    import('../channels/push/web-push.ts'),
    import('../channels/push/vapid-key.ts'),
    import('../store/secret-box.ts'),
  ])
  const box = createSecretBox(keys, 'push keys')
  try {
    const open = options.newKey ? replaceVapidKey : openVapidKey
    const key = await open(store.records, box)
    const { allowHosts, share } = options
    return webPush({ store, key, contact: contactOf(options, home()), home, allowHosts, share })
  } catch (error) {
    if (!isCountersignError(error, 'key_unusable')) throw error
    // Servers of one database often have folders of their own. Until a device is turned on, that is fine.
    if ((await allDevices(store.records)).length > 0) {
      report('push messages are off: their key was sealed with keys of another machine')
    }
    return undefined
  }
}

/** Push services want a way to complain. On this machine alone there is no address to give. */
function contactOf({ contact }: PushOptions, home: string | undefined): string {
  return contact ?? (home?.startsWith('https:') ? new URL(home).origin : 'https://localhost')
}

/** Throws `usage` for whatever would tell more, or others, than was meant. */
export function assertPush(options: PushOptions | false): void {
  if (options === false) return
  const { contact, share } = options
  if (contact !== undefined && !/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(contact)) {
    throw new CountersignError('usage', 'push.contact is no way to reach the operator', {
      hint: 'Use mailto:NAME@HOST or https://….',
    })
  }
  if (share !== undefined && !SHARES.includes(share)) {
    throw new CountersignError('usage', `push.share must be one of ${SHARES.join(', ')}`)
  }
}
