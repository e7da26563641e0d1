import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { givenOptions } from '../../base/options.ts'
import type { ToolEntry } from '../../policy/document.ts'
import { joinEntries } from '../../policy/evaluate/declared.ts'
import type { ApprovalWords, ToolWords } from '../../policy/grammar/approval-words.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import { loadDeclaration, policyError } from '../../policy/load/load.ts'
import type { Policy } from '../../policy/policy.ts'

/** Whether to ask about a call with these arguments. Throwing, or taking over a second, asks. */
export type ApprovalPredicate = (args: JsonObject) => boolean | PromiseLike<boolean>

/** What code says of a tool, in the words of policy files; or a function in place of conditions. */
export interface CodeDeclaration extends ToolWords {
  readonly approval?: boolean | ApprovalWords | ApprovalPredicate | undefined
  /** What a no of the function means: that the call is allowed, or that code says nothing. */
  readonly otherwise?: 'allow' | 'files' | undefined
}

/** What code says of one call. It belongs to the guarded tool, and counts for this call alone. */
export interface CallDeclaration extends ToolWords {
  readonly approval?: boolean | ApprovalWords | undefined
  /**
   * A function gave this answer. It may have given another one before, so an earlier question about
   * the call is looked up even where the call is allowed now.
   */
  readonly byFunction?: boolean | undefined
}

/** One call's declaration, and the tool it is about. */
export interface Called {
  readonly tool: string
  readonly declared: CallDeclaration
}

/** Declarations made in code after the policy was. */
export interface Declarations {
  /** For the whole application. Where one name is declared several times, all of them count. */
  declare(tool: string, declaration: CodeDeclaration): void
  /** The policy with them; a function counts as `yes` until it has answered. */
  over(policy: Policy, called?: Called): Policy
  /** The policy as it is for a call whose functions all said that no approval is needed. */
  released(policy: Policy, called?: Called): Policy
  predicatesOf(tool: string): readonly ApprovalPredicate[]
  /**
   * The words alone, for a gate elsewhere that judges the same call. `released`: all functions said
   * that no approval is needed.
   */
  wordsOf(tool: string, released: boolean): readonly object[]
  /** Remembers what a guarded tool says of its own calls, for `codeOf`. It decides nothing. */
  show(tool: string, code: CodeWords): void
  /** Everything that code says of a tool, for people who want to know. */
  codeOf(tool: string): CodeWords | undefined
}

/** What code says of a tool, as far as it can be written down. */
export interface CodeWords {
  readonly words: object
  /** Other declarations of the same tool. All of them count. */
  readonly besides?: readonly object[]
  /** A function decides: whether it asks is known only where it runs. */
  readonly byFunction?: true
}

/** A declaration that was checked. */
export interface Declared {
  readonly entry: ToolEntry
  readonly words: CallDeclaration
  readonly predicate: ApprovalPredicate | undefined
  readonly otherwise: 'allow' | 'files'
}

// Tools are named by programs, but a program can be made to name them by a model.
const MAX_DECLARED = 10_000
const MAX_OF_ONE = 100
// Only for people to look at, and it may come from another machine.
const MAX_SHOWN = 10
const MAX_SHOWN_CHARACTERS = 10_000
const MAX_CALLED = 1_000

const NONE: readonly Declared[] = []

export function createDeclarations(): Declarations {
  const declared = new Map<string, readonly Declared[]>()
  const shown = new Map<string, ReadonlyMap<string, CodeWords>>()
  let strict = new WeakMap<Policy, Policy>()
  let free = new WeakMap<Policy, Policy>()

  function cached(
    made: WeakMap<Policy, Policy>,
    policy: Policy,
    entryOf: (one: Declared) => ToolEntry,
  ): Policy {
    if (declared.size === 0) return policy
    const known = made.get(policy)
    if (known) return known
    const code = new Map(policy.code)
    for (const [name, all] of declared) {
      const entry = joinEntries([code.get(name), ...all.map(entryOf)])
      if (entry) code.set(name, entry)
    }
    const fresh = combinePolicy({ ...policy, governance: policy.outside, code })
    made.set(policy, fresh)
    return fresh
  }

  return {
    declare(tool, declaration) {
      const one = readDeclaration(tool, declaration)
      const known = declared.get(tool) ?? NONE
      if (known.some((other) => isSame(one, other))) return
      if (known.length >= MAX_OF_ONE) {
        throw new CountersignError('too_large', `${tool} is declared too often at one gate`, {
          hint: 'Declare a tool once, when the program starts. What differs from call to call goes with the call: gate.guard(fn, { name, approval }), or run(call, tool, { declared }).',
        })
      }
      if (known.length === 0 && declared.size >= MAX_DECLARED) {
        throw new CountersignError('too_large', 'too many tools are declared at one gate')
      }
      declared.set(tool, [...known, one])
      strict = new WeakMap()
      free = new WeakMap()
    },
    over: (policy, called) =>
      withCalled(
        cached(strict, policy, ({ entry }) => entry),
        called,
      ),
    released: (policy, called) => withCalled(cached(free, policy, releasedEntry), called),
    predicatesOf: (tool) =>
      (declared.get(tool) ?? NONE).flatMap(({ predicate }) => predicate ?? []),
    wordsOf: (tool, released) =>
      (declared.get(tool) ?? NONE).map((one) => (released ? releasedWords(one) : one.words)),
    show(tool, code) {
      const known = shown.get(tool)
      const text = JSON.stringify(code)
      if (known?.has(text) || text.length > MAX_SHOWN_CHARACTERS) return
      if ((known?.size ?? 0) >= MAX_SHOWN || (!known && shown.size >= MAX_DECLARED)) return
      shown.set(tool, new Map([...(known ?? []), [text, code]]))
    },
    codeOf(tool) {
      const own = declared.get(tool) ?? NONE
      const others = [...(shown.get(tool)?.values() ?? [])]
      const [words, ...besides] = distinct([
        ...own.map((one) => one.words),
        ...others.flatMap((one) => [one.words, ...(one.besides ?? [])]),
      ])
      if (words === undefined) return undefined
      const byFunction = own.some((one) => one.predicate) || others.some((one) => one.byFunction)
      return {
        words,
        ...(besides.length > 0 ? { besides } : {}),
        ...(byFunction ? { byFunction } : {}),
      }
    },
  }
}

/** Throws `policy_invalid` for words that no policy file could hold. */
export function readDeclaration(tool: string, declaration: CodeDeclaration): Declared {
  const { approval, otherwise = 'allow', ...rest } = givenOptions(declaration)
  const predicate = typeof approval === 'function' ? approval : undefined
  const inWords = typeof approval === 'function' ? true : approval
  const asks = inWords === undefined ? {} : { approval: inWords }
  const words: CallDeclaration = { ...asks, ...withoutUndefined(rest) }
  const entry = readEntry(tool, words)
  canonicalJson(words)
  return { entry, words, predicate, otherwise }
}

function readEntry(tool: string, words: unknown): ToolEntry {
  const loaded = loadDeclaration(`code.${tool}`, words)
  if (!loaded.ok) throw policyError(loaded.mistakes)
  return loaded.entry
}

/** Only the function is released: conditions in words are judged like any others. */
function releasedEntry({ entry, predicate, otherwise }: Declared): ToolEntry {
  if (!predicate || !entry.approval) return entry
  if (otherwise === 'files') {
    const { approval: _, ...silent } = entry
    return silent
  }
  const { rule, place } = entry.approval
  return { ...entry, approval: { asks: 'never', rule, place } }
}

function releasedWords({ words, predicate, otherwise }: Declared): object {
  if (!predicate) return words
  const { approval: _, ...silent } = words as { readonly approval?: unknown }
  return otherwise === 'files' ? silent : { ...silent, approval: false }
}

/** The words of a call's declaration, for a gate elsewhere. */
export function wordsOfCalled({ byFunction: _, ...words }: CallDeclaration): object {
  return withoutUndefined(words)
}

/** What every object of the program seems to have says nothing of one call. */
const inherited = Object.prototype as { readonly declared?: unknown }

const calledPolicies = new WeakMap<Policy, Map<string, Policy>>()

/** The policy for one call, with what its own code says. Made once for equal words. */
function withCalled(policy: Policy, called: Called | undefined): Policy {
  if (called === undefined || called.declared === inherited.declared) return policy
  const { tool, declared } = called
  if (!isPlainObject(declared)) {
    throw new CountersignError('invalid_call', `what is declared for ${tool} is not an object`)
  }
  const words = wordsOfCalled(declared)
  // Strict: what JSON would leave out without a word, such as a function, is refused.
  const text = canonicalJson([tool, words])
  const made = calledPolicies.get(policy) ?? new Map<string, Policy>()
  const known = made.get(text)
  if (known) return known
  const entry = readEntry(tool, words)
  const fresh = combinePolicy({ ...policy, governance: policy.outside, called: entry })
  // Names and words can come from models: without a bound, inventing them would fill the memory.
  if (made.size >= MAX_CALLED) made.clear()
  calledPolicies.set(policy, made.set(text, fresh))
  return fresh
}

/** The policy with what an agent's code is said to declare. Its answer counts where it is stricter. */
export function withDeclared(policy: Policy, tool: string, declared: unknown): Policy {
  const all = Array.isArray(declared) ? declared : [declared]
  if (all.length > MAX_OF_ONE) {
    throw new CountersignError('too_large', `${tool} has more than ${MAX_OF_ONE} declarations`)
  }
  const called = joinEntries(all.map((words) => readEntry(tool, words)))
  return combinePolicy({
    ...policy,
    governance: policy.outside,
    ...(called ? { called } : {}),
  })
}

/** What a remote agent says of its tool, checked against this policy: its groups, for one. */
export function declaredEntry(policy: Policy, tool: string, words: unknown): ToolEntry | undefined {
  return withDeclared(policy, tool, words).called
}

/** The policy as a gate sees it whose code says this, and what to tell about it. */
export function withCode(
  policy: Policy,
  { tool, server, kind = 'tool' }: Pick<Call, 'tool' | 'server' | 'kind'>,
  code: CodeWords | undefined,
): { readonly policy: Policy; readonly code?: { readonly code: CodeWords } } {
  if (code === undefined || server !== undefined || kind !== 'tool') return { policy }
  const { words, besides = [] } = code
  return { policy: withDeclared(policy, tool, [words, ...besides]), code: { code } }
}

function withoutUndefined(rest: object): object {
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
}

function isSame(one: Declared, other: Declared): boolean {
  return (
    one.predicate === other.predicate &&
    one.otherwise === other.otherwise &&
    JSON.stringify(one.words) === JSON.stringify(other.words)
  )
}

function distinct(words: readonly object[]): readonly object[] {
  return [...new Map(words.map((one) => [JSON.stringify(one), one])).values()]
}
