import { digestOf } from '../../base/json/digest.ts'
import { MAX_TEXT } from '../../policy/call.ts'

/** Some SDKs put signatures into call ids, so a key can be of any length. */
export function isLongKey(key: unknown): key is string {
  return typeof key === 'string' && key.length > MAX_TEXT
}

/** A key only has to tell calls apart: a long one is replaced by its digest instead of refused. */
export function boundedKey(key: string): Promise<string> {
  return digestOf('key', key)
}
