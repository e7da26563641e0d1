import type { Approval } from '../../approval/approval.ts'
import type { View } from '../../approval/command.ts'
import type { Content, ContentKind } from '../../approval/transition.ts'
import type { CallContext } from '../../base/call.ts'
import { freshParse } from '../../base/json/canonical.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { Store } from '../../store/store.ts'

/** Newest first: an edit brings new arguments and a new question, and the old ones stay. */
export function latest(content: readonly Content[], kind: ContentKind): Json | undefined {
  return content
    .filter((one) => one.kind === kind)
    .reduce<Content | undefined>(
      (newest, one) => (newest && revisionOf(newest) >= revisionOf(one) ? newest : one),
      undefined,
    )?.value
}

/** Keys are `<approval>/<revision>/<kind>`. */
function revisionOf({ key }: Content): number {
  return Number(key.split('/').at(-2) ?? 0)
}

/** What a person wrote with their no, for the model. Erased or unreadable words are just missing. */
export async function wordsOf(
  { store }: { readonly store: Store },
  { id, decisions }: Approval,
): Promise<{ readonly reason?: string; readonly answer?: string }> {
  const denial = decisions.findLast(({ verdict }) => verdict === 'deny')
  if (!denial?.content?.length) return {}
  const written = await store.content(id, ['reason', 'answer'])
  const content = written.filter(({ key }) => denial.content?.includes(key))
  const reason = latest(content, 'reason')
  const answer = latest(content, 'answer')
  return {
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof answer === 'string' ? { answer } : {}),
  }
}

export interface Question {
  readonly message: string
  readonly missing: readonly string[]
  readonly context?: CallContext
  readonly parentInput?: JsonObject
  /** What people may see of the arguments this question is about. */
  readonly view?: View
  /** The span that asked. */
  readonly trace?: string
  /** What a yes has to fill in. */
  readonly form?: JsonObject
}

/** What people were asked, as they were asked it. What only the first question had stays. */
export function questionOf(content: readonly Content[]): Question | undefined {
  const asked = content.filter(({ kind }) => kind === 'question').map(({ value }) => value)
  const objects = asked.filter((value): value is JsonObject => isPlainObject(value))
  const newest = latest(content, 'question')
  if (!isPlainObject(newest)) return undefined
  const first = objects.find((value) => 'parentInput' in value || 'context' in value)
  const { parentInput } = first ?? {}
  const { trace, form } = objects[0] ?? {}
  return {
    ...(first?.context ? { context: first.context as Question['context'] } : {}),
    ...(newest as unknown as Pick<Question, 'message' | 'missing' | 'view'>),
    ...(typeof trace === 'string' ? { trace } : {}),
    ...(typeof form === 'string' ? { form: freshParse(form) as JsonObject } : {}),
    ...(typeof parentInput === 'string'
      ? { parentInput: freshParse(parentInput) as JsonObject }
      : {}),
  } as Question
}
