import type { Approval } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import { digestOf } from '../../base/json/digest.ts'
import type { Json } from '../../base/json/json.ts'
import type { Store } from '../../store/store.ts'
import type { Answer } from '../admin/approvals.ts'
import { boundForm } from './form.ts'
import type { FormMistake } from './read-form.ts'

/**
 * The digest of answers that the form accepts. Nothing where there is no form, and for an answer that
 * is refused anyway: the approval's own rules say why.
 */
export async function answersTo(
  { store }: { readonly store: Pick<Store, 'content'> },
  { id, call, status, digest }: Approval,
  { verdict, seen, payload }: Pick<Answer, 'verdict' | 'seen' | 'payload'>,
): Promise<{ readonly answers?: string }> {
  if (call.form === undefined || verdict === 'deny' || payload === undefined) return {}
  if (status !== 'pending' || seen !== digest) return {}
  const bound = await boundForm(call, await store.content(id, ['question']))
  if (!bound.isKnown || bound.form === undefined) {
    throw new CountersignError('content_gone', `the form of approval ${id} is no longer kept`, {
      hint: 'Deny it, and let the agent ask again.',
    })
  }
  const given = freshParse(canonicalJson(payload, LIMITS)) as Json
  const { formMistakes } = await import('./read-form.ts')
  const mistakes = formMistakes(bound.form, given)
  if (mistakes.length > 0) throw invalidPayload(mistakes)
  return { answers: await digestOf('answers', given) }
}

/** As the record has room for. */
const LIMITS = { depth: 64, bytes: 16_384 }

function invalidPayload(mistakes: readonly FormMistake[]): CountersignError {
  const [first] = mistakes
  const says = mistakes.map(({ at, problem }) => `${at.join('.') || 'the payload'} ${problem}`)
  return new CountersignError('payload_invalid', says.join('; '), {
    hint: 'Correct what the form does not accept and send it again. Nothing was decided.',
    details: { mistakes, ...(first ? { at: first.at } : {}) },
  })
}
