import { changedPaths } from '../../approval/commands/edit.ts'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import { type Keys, MASK } from '../../base/secrets/mask.ts'
import { secretSpans } from '../../base/secrets/secret-text.ts'

/**
 * What an approver sent, with the secrets they were not shown put back. Where they left the mask as
 * it was, the value stays what it was, to the byte; where they typed something else, that counts. A
 * mask without a value to put back is refused: it would run as the text `[secret]`.
 */
export function unmask(edited: Json, shown: Json, original: Json, at: Keys = []): Json {
  if (isSame(edited, shown)) return original
  if (typeof edited === 'string') return unmaskText(edited, shown, original, at)
  if (Array.isArray(edited)) {
    const [seen, was] = [listOf(shown), listOf(original)]
    if (seen.length !== edited.length && holdsMask(edited)) throw stillMasked(at)
    return edited.map((item, index) =>
      unmask(item, seen[index] ?? null, was[index] ?? null, [...at, String(index)]),
    )
  }
  if (!isPlainObject(edited)) return edited
  return Object.fromEntries(
    Object.entries(edited).map(([key, value]) => [
      key,
      unmask(value as Json, member(shown, key), member(original, key), [...at, key]),
    ]),
  )
}

/** Text around a secret may change; the secret stays where its mask stands. */
function unmaskText(edited: string, shown: Json, original: Json, at: Keys): string {
  const parts = edited.split(MASK)
  if (parts.length === 1) return edited
  const hidden =
    typeof original === 'string' && shown !== original && shown !== MASK
      ? secretSpans(original).map(([from, to]) => original.slice(from, to))
      : []
  if (hidden.length !== parts.length - 1) throw stillMasked(at)
  return parts.map((part, index) => part + (hidden[index] ?? '')).join('')
}

function stillMasked(at: Keys): CountersignError {
  return new CountersignError(
    'invalid_value',
    `${at.join('.') || 'the arguments'} still holds ${MASK}`,
    {
      hint: 'Leave a masked value exactly as it is shown, or replace all of it.',
      details: { at },
    },
  )
}

function isSame(a: Json, b: Json): boolean {
  return changedPaths(a, b).length === 0
}

function holdsMask(value: Json): boolean {
  return JSON.stringify(value).includes(MASK)
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function member(value: Json, key: string): Json {
  return isPlainObject(value) && Object.hasOwn(value, key) ? (value[key] as Json) : null
}
