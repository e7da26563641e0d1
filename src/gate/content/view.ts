import type { View } from '../../approval/command.ts'
import type { Call } from '../../base/call.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import {
  type Keys,
  MASK,
  type Masked,
  type Secrecy,
  type SecretPath,
} from '../../base/secrets/mask.ts'
import { secretSpans } from '../../base/secrets/secret-text.ts'
import { shownArguments } from '../../policy/evaluate/declared.ts'
import type { Policy } from '../../policy/policy.ts'

export type { View }

/**
 * What is kept of a call for people to see; nothing when nothing in it is hidden. Made by the gate
 * that asks, because it knows the tool's schema and what its own code declares secret.
 */
export function keptView(policy: Policy, call: Call, secrecy: Secrecy): View | undefined {
  const { value, masked } = shownArguments(policy, call, secrecy)
  return masked.length === 0 ? undefined : { arguments: canonicalJson(value), masked }
}

export interface Looking {
  readonly policy: Policy
  /** With the arguments as bound. */
  readonly call: Call
  readonly schema: Json | undefined
  /** As it was kept when these arguments were asked about. */
  readonly view: View | undefined
}

/** What was hidden when it was asked stays hidden, and so is what would be hidden now. */
export function viewNow({ policy, call, schema, view }: Looking): Masked<JsonObject> {
  const before = view ? (freshParse(view.arguments) as JsonObject) : call.args
  const { value, masked } = shownArguments(policy, { ...call, args: before }, { schema })
  return { value, masked: outermost([...(view?.masked ?? []), ...masked]) }
}

/** What was hidden whole stays so, whatever is there now: the process that hid it may know more. */
export function hiddenWhole({ value, masked }: Masked<JsonObject>): readonly SecretPath[] {
  return masked
    .filter((keys) => keys.length > 0 && valueAt(value, keys) === MASK)
    .map((keys) => ({ keys, items: true }))
}

/** Without what lies inside of another one. */
function outermost(paths: readonly Keys[]): readonly Keys[] {
  const all = new Map(paths.map((keys) => [JSON.stringify(keys), keys]))
  return [...all.values()].filter(
    (keys) => !keys.some((_, depth) => all.has(JSON.stringify(keys.slice(0, depth)))),
  )
}

// Shorter ones occur in texts by chance, and replacing them there would make nonsense of it.
const SHORTEST = 6
const MOST = 100

/** The secrets of a call themselves, longest first: to be taken out of what others say. */
export function hiddenTexts(args: Json, masked: readonly Keys[]): readonly string[] {
  return masked
    .flatMap((keys) => textsOf(valueAt(args, keys)))
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST)
}

function textsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') {
    const inside = secretSpans(value).map(([from, to]) => value.slice(from, to))
    return [value, ...inside]
  }
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/** Items of lists too, unlike paths of policies: a mask may stand anywhere. */
export function valueAt(value: Json, keys: Keys): Json | undefined {
  let inner: Json | undefined = value
  for (const key of keys) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined
    inner = (inner as JsonObject)[key]
  }
  return inner
}
