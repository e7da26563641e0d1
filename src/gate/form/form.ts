import type { AskedCall } from '../../approval/approval.ts'
import type { Content } from '../../approval/transition.ts'
import { freshParse } from '../../base/json/canonical.ts'
import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { maskText } from '../../base/secrets/mask.ts'
import { unusableForm } from './unusable-form.ts'

/*
 * What an approver fills in with their yes, as JSON Schema from the one who asks. It is kept as text
 * in the order it was written, because that is the order of the fields, and the digest of that text is part of
 * the call's: a yes answers the form that was shown and no other.
 */

/** A copy that shares nothing with the caller's object, its members in the order they have there. */
export function copiedForm(form: unknown): JsonObject {
  if (!isPlainObject(form)) throw unusableForm('it is not an object')
  try {
    return freshParse(JSON.stringify(form)) as JsonObject
  } catch (cause) {
    throw unusableForm('it is not JSON', cause)
  }
}

export async function formDigest(form: JsonObject): Promise<string> {
  return digestOf('form', JSON.stringify(form))
}

/**
 * As it is kept with the question. Throws `form_unusable` for one that cannot be checked, and for one
 * that says what the call hides: a form is shown to people as it is.
 */
export async function formText(form: JsonObject, hidden: readonly string[]): Promise<string> {
  const { readForm } = await import('./read-form.ts')
  readForm(form)
  const text = JSON.stringify(form)
  if (textsOf(form).some((one) => maskText(one, hidden) !== one)) {
    throw unusableForm('it holds a secret, which all approvers would read')
  }
  return text
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner as Json)])
}

export type BoundForm =
  | { readonly isKnown: true; readonly form: JsonObject | undefined }
  /** Erased, or changed in the database: what approvers were asked to fill in is no longer known. */
  | { readonly isKnown: false }

export const NO_FORM: BoundForm = { isKnown: true, form: undefined }

/** The form of an approval: the very one whose digest the call holds. */
export async function boundForm(
  { form: digest }: Pick<AskedCall, 'form'>,
  content: readonly Content[],
): Promise<BoundForm> {
  if (digest === undefined) return NO_FORM
  const [first] = content.filter(({ kind }) => kind === 'question')
  const text = isPlainObject(first?.value) ? first.value.form : undefined
  if (typeof text !== 'string') return { isKnown: false }
  const form = freshParse(text) as JsonObject
  return (await formDigest(form)) === digest ? { isKnown: true, form } : { isKnown: false }
}
