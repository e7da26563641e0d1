import { createECDH } from 'node:crypto'
import type { Json } from '../../base/json/json.ts'
import type { Records } from '../../store/records.ts'
import type { Sealed, SecretBox } from '../../store/secret-box.ts'
import type { VapidKey } from './vapid.ts'

/** Made once for a database; its private half is sealed with a key of this machine. */
export const PUSH_KEY_RECORD = 'push-key'
const ID = 'vapid'
const ABOUT = 'push-key/vapid'

interface Stored {
  readonly publicKey: string
  readonly sealed: Sealed
}

/**
 * The key of this database. Browsers are bound to it, so it stays: with another one, every person
 * turns notifications on again. Throws `key_unusable` where it was sealed on another machine.
 */
export async function openVapidKey(records: Records, box: SecretBox): Promise<VapidKey> {
  const found = (await records.get(PUSH_KEY_RECORD, ID)) ?? (await make(records, box))
  const { publicKey, sealed } = found.value as unknown as Stored
  return { publicKey, privateKey: await box.open(sealed, ABOUT) }
}

/** For keys that are lost. Devices that trust the key before get nothing more. */
export async function replaceVapidKey(records: Records, box: SecretBox): Promise<VapidKey> {
  await records.remove(PUSH_KEY_RECORD, ID)
  return openVapidKey(records, box)
}

async function make(records: Records, box: SecretBox) {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url')
  const value = { publicKey, sealed: await box.seal(privateKey, ABOUT) }
  const made = await records.put(PUSH_KEY_RECORD, ID, value as unknown as Json, {
    expect: 'absent',
  })
  const kept = made ?? (await records.get(PUSH_KEY_RECORD, ID))
  if (kept) return kept
  throw new Error('the key of push messages was removed while it was made')
}
