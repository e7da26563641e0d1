import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { changed, isWrittenNumber, writtenAs } from '../protocol/message.ts'

/** A result, and how it is written. */
export interface Shown {
  readonly result: JsonObject
  readonly text: string
}

/** Redacts a server's own password from what the server returns. */
export function secretHider(secrets: readonly string[]): (result: JsonObject) => Shown {
  // As they stand inside of a JSON string.
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  return (result) => {
    const text = JSON.stringify(writtenAs(result))
    if (!written.some((secret) => text.includes(secret))) return { result, text }
    const shown = changed(result, (one) => hidden(one, secrets) as JsonObject)
    return { result: shown, text: JSON.stringify(writtenAs(shown)) }
  }
}

function hidden(value: Json, secrets: readonly string[]): Json {
  const masked = (text: string) =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text)
  if (typeof value === 'string') return masked(value)
  if (Array.isArray(value)) return value.map((item) => hidden(item, secrets))
  if (typeof value === 'number' || isWrittenNumber(value)) {
    // A PIN of digits is as secret where it stands without quotation marks.
    const text = JSON.stringify(value)
    return secrets.some((secret) => text.includes(secret)) ? '[secret]' : value
  }
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [masked(key), hidden(item as Json, secrets)]),
  )
}
