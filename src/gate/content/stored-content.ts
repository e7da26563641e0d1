import type { Approval } from '../../approval/approval.ts'
import type { View } from '../../approval/command.ts'
import type { Content, ContentKind } from '../../approval/transition.ts'
import type { CallContext } from '../../base/call.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { ValueRange } from '../../base/message-parts.ts'
import type { MadePreview } from '../../base/preview/preview.ts'
import { MASK, type Masked } from '../../base/secrets/mask.ts'
import { readPath } from '../../policy/evaluate/path.ts'
import type { Store } from '../../store/store.ts'
import type { Edited } from '../outcome.ts'

/*
 * What is kept beside an approval, read back: what was asked, what people wrote and what they changed.
 */

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

/** All content of an approval as it is, without a read where this process wrote it. */
export async function contentNow(
  { store }: { readonly store: Store },
  { id, revision }: Pick<Approval, 'id' | 'revision'>,
): Promise<readonly Content[]> {
  const recent = store.recent?.(id)
  const isSame = recent?.approval.revision === revision
  return (isSame ? recent.content : undefined) ?? store.content(id)
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
  /** Where the message holds values from the call; absent: it is not known where. */
  readonly values?: readonly ValueRange[]
  /** The owner worded it: a `message_template`, and not the default, which shows all arguments. */
  readonly authored?: true
  readonly context?: CallContext
  readonly parentInput?: JsonObject
  /** What people may see of the arguments this question is about. */
  readonly view?: View
  /** The span that asked. */
  readonly trace?: string
  /** What a yes has to fill in. */
  readonly form?: JsonObject
  /** What the program said the call would do, or why it could not say it. */
  readonly preview?: MadePreview
}

/** What people were asked, as they were asked it. What only the first question had stays. */
export function questionOf(content: readonly Content[]): Question | undefined {
  const asked = content.filter(({ kind }) => kind === 'question').map(({ value }) => value)
  const objects = asked.filter((value): value is JsonObject => isPlainObject(value))
  const newest = latest(content, 'question')
  if (!isPlainObject(newest)) return undefined
  const first = objects.find((value) => 'parentInput' in value || 'context' in value)
  const { parentInput } = first ?? {}
  const { trace, form, preview } = objects[0] ?? {}
  return {
    ...(first?.context ? { context: first.context as Question['context'] } : {}),
    ...(newest as unknown as Pick<
      Question,
      'message' | 'missing' | 'values' | 'authored' | 'view'
    >),
    ...(typeof trace === 'string' ? { trace } : {}),
    ...(typeof form === 'string' ? { form: freshParse(form) as JsonObject } : {}),
    ...(typeof preview === 'string' ? { preview: freshParse(preview) } : {}),
    ...(typeof parentInput === 'string'
      ? { parentInput: freshParse(parentInput) as JsonObject }
      : {}),
  } as Question
}

/** The span that asked, as it is kept with the approval; looked up only while tracing. */
export async function askedBy(
  { telemetry, store }: { readonly telemetry: unknown; readonly store: Store },
  id: string,
): Promise<string | undefined> {
  if (!telemetry) return undefined
  return questionOf(await store.content(id, ['question']).catch(() => []))?.trace
}

/** What people changed before they approved, for the model; undefined when nothing was. */
export function editedBy({
  approval,
  shown,
}: {
  readonly approval: Approval
  readonly shown: Masked<JsonObject>
}): Edited | undefined {
  const { edited, call, digest, askedDigest } = approval
  if (digest === askedDigest) return undefined
  const { value, masked } = shown
  const paths = edited.map(pathText)
  const changes = edited.map((keys) => {
    const isInside = masked.some((hidden) => hidden.every((key, index) => keys[index] === key))
    const now = readPath(value, keys)
    return `${pathText(keys)} is now ${valueText(now === undefined && isInside ? MASK : now)}`
  })
  const modelMessage = `A person changed the call to ${call.tool} before approving it: ${changes.join(', ')}.`
  return { paths, args: value, modelMessage }
}

/** The same of a call that has run, as it was shown then; undefined also once that was erased. */
export async function editedBefore(
  { store }: { readonly store: Store },
  approval: Approval,
): Promise<Edited | undefined> {
  if (approval.digest === approval.askedDigest) return undefined
  const content = await store.content(approval.id, ['arguments', 'question'])
  const text = latest(content, 'arguments')
  if (typeof text !== 'string') return undefined
  const view = questionOf(content)?.view
  const value = freshParse(view?.arguments ?? text) as JsonObject
  return editedBy({ approval, shown: { value, masked: view?.masked ?? [] } })
}

/** The spelling of policy files: a dot inside a name is escaped. */
function pathText(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.') || 'the arguments'
}

function valueText(value: unknown): string {
  return value === undefined ? 'left out' : canonicalJson(value as Json)
}

/** What the last approver attached to the yes that counts. */
export function payloadIn(
  { decisions, digest }: Approval,
  content: readonly Content[],
): Json | undefined {
  const keys = payloadKeys({ decisions, digest })
  return latest(
    content.filter(({ key }) => keys.includes(key)),
    'payload',
  )
}

/** The same, read from the store; nothing is read where no approver attached anything. */
export async function payloadOf(
  { store }: { readonly store: Store },
  approval: Approval,
): Promise<{ readonly payload?: Json }> {
  if (payloadKeys(approval).length === 0) return {}
  const payload = payloadIn(approval, await store.content(approval.id, ['payload']))
  return payload === undefined ? {} : { payload }
}

function payloadKeys({ decisions, digest }: Pick<Approval, 'decisions' | 'digest'>): string[] {
  return decisions
    .filter((one) => one.verdict === 'approve' && one.digest === digest && !one.void)
    .flatMap((one) => one.content ?? [])
}
