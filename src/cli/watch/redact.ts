import { isPlainObject, type Json } from '../../base/json/json.ts'
import { MASK, maskText } from '../../base/secrets/mask.ts'
import { isSecretName } from '../../base/secrets/secret-name.ts'

/** Shorter ones would hide parts of ordinary words. */
const SHORTEST = 4
const ADDRESS = /[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+/g

/** Without what is secret by its name, by its form or because it is known, and without addresses of people. */
export function redacted(value: Json, known: readonly string[]): Json {
  // The longest first: one may be part of another.
  const secrets = [...new Set(known.flatMap(spellings))]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((one, two) => two.length - one.length)
  return hide(value, secrets)
}

/** As it is, as it stands in an address, and the password in it. */
function spellings(secret: string): string[] {
  const url = URL.canParse(secret) && secret.includes('://') ? new URL(secret) : undefined
  const inside = url ? [url.password, ...url.searchParams.values()] : []
  const all = [...(url && inside.some(Boolean) ? [] : [secret]), ...inside]
  return all.flatMap((one) => [one, encodeURIComponent(one), safeDecode(one)])
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function hide(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return maskText(value, secrets).replace(ADDRESS, '[address]')
  if (Array.isArray(value)) return value.map((one) => hide(one, secrets))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([name, one]) => [
      hide(name, secrets) as string,
      isSecretName(name) && typeof one === 'string' && one !== '' ? MASK : hide(one, secrets),
    ]),
  )
}
