import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { objectIn, textIn } from '../protocol/message.ts'

/** What an agent says of a call that it wants to make. All of it is the agent's own word. */
export interface ClaimedCall {
  readonly tool: string
  readonly args: JsonObject
}

/** One of the answers that the agent takes. */
export interface Choice {
  readonly id: string
  readonly name: string
  readonly kind: 'allow_once' | 'reject_once' | 'reject_always'
}

/** As the protocol names them; a kind that it does not know is `other`. */
const KINDS: ReadonlySet<string> = new Set([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
])

/** The call that a permission is asked for. `before`: what the agent said of it earlier. */
export function claimedCall(params: JsonObject, before: JsonObject | undefined): ClaimedCall {
  const said = { ...before, ...known(objectIn(params, 'toolCall') ?? {}) }
  const kind = textIn(said, 'kind') ?? ''
  const { title = null, rawInput = null, locations = [], content = [] } = said
  return {
    tool: KINDS.has(kind) ? kind : 'other',
    args: {
      title,
      input: rawInput,
      ...(isEmpty(locations) ? {} : { locations }),
      ...(isEmpty(content) ? {} : { content }),
    },
  }
}

/** What a report about a tool call adds to what is known of it. */
export function known(said: JsonObject): JsonObject {
  const kept = ['title', 'kind', 'rawInput', 'locations', 'content'].flatMap((key) => {
    const value = Object.hasOwn(said, key) ? said[key] : undefined
    return value === undefined || value === null ? [] : [[key, value] as const]
  })
  return Object.fromEntries(kept)
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}

/**
 * The answers that count once. A yes for ever is not among them: the agent would remember it where
 * no person sees it, and no rule or lock could take it back.
 */
export function choicesOf(params: JsonObject): readonly Choice[] {
  const offered = Array.isArray(params.options) ? params.options : []
  return offered.flatMap((one): Choice[] => {
    if (!isPlainObject(one)) return []
    const { optionId: id, name, kind } = one
    if (typeof id !== 'string' || typeof name !== 'string') return []
    const isOnce = kind === 'allow_once' || kind === 'reject_once' || kind === 'reject_always'
    return isOnce ? [{ id, name, kind }] : []
  })
}

export function selected(choice: Choice | undefined): JsonObject {
  return choice
    ? { outcome: { outcome: 'selected', optionId: choice.id } }
    : { outcome: { outcome: 'cancelled' } }
}

export const isYes = ({ kind }: Choice): boolean => kind === 'allow_once'

/** Which of these an editor's answer names; undefined where the question was closed. */
export function chosenIn<C extends { readonly id: string }>(
  answer: JsonObject,
  choices: readonly C[],
): C | undefined {
  const outcome = objectIn(answer, 'outcome')
  if (textIn(outcome, 'outcome') !== 'selected') return undefined
  const id = textIn(outcome, 'optionId')
  return choices.find((choice) => choice.id === id)
}
