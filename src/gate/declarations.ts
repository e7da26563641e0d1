import type { Call } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { combinePolicy } from '../policy/combine.ts'
import type { ToolEntry } from '../policy/document.ts'
import { loadDeclaration, policyError } from '../policy/load.ts'
import type { Policy } from '../policy/policy.ts'

/** Whether to ask about a call with these arguments. Throwing, or taking over a second, asks. */
export type ApprovalPredicate = (args: JsonObject) => boolean | PromiseLike<boolean>

/** What code says of a tool, in the words of policy files; or a function in place of conditions. */
export interface CodeDeclaration {
  readonly approval?: unknown
  /** What a no of the function means: that the call is allowed, or that code says nothing. */
  readonly otherwise?: 'allow' | 'files'
  readonly risk?: string
  readonly secrets?: readonly string[]
  readonly result?: 'keep' | 'drop'
  readonly description?: string
}

/** Declarations made in code after the policy was, by whoever guards a tool. */
export interface Declarations {
  declare(tool: string, declaration: CodeDeclaration): void
  /** The policy with them; a function counts as `yes` until it has answered. */
  over(policy: Policy): Policy
  /** The policy as it is for a call whose function said that nobody need be asked. */
  released(policy: Policy): Policy
  predicateOf(tool: string): ApprovalPredicate | undefined
  /** The words alone, for somebody elsewhere who has to judge the same call. */
  wordsOf(tool: string): object | undefined
  /** The same, for people who want to know what code says. */
  codeOf(tool: string): CodeWords | undefined
}

/** What code says of a tool, as far as it can be written down. */
export interface CodeWords {
  readonly words: object
  /** A function decides: whether it asks is known only where it runs. */
  readonly byFunction?: true
}

interface Declared {
  readonly entry: ToolEntry
  readonly words: object
  readonly predicate: ApprovalPredicate | undefined
  readonly otherwise: 'allow' | 'files'
}

// Tools are named by programs, but a program can be made to name them by a model.
const MAX_DECLARED = 10_000

export function createDeclarations(): Declarations {
  const declared = new Map<string, Declared>()
  let strict = new WeakMap<Policy, Policy>()
  let free = new WeakMap<Policy, Policy>()

  function combined(policy: Policy, entryOf: (one: Declared) => ToolEntry): Policy {
    const code = new Map(policy.code)
    const tools = new Map(policy.owner.tools)
    for (const [name, one] of declared) {
      const before = code.get(name)
      const file = tools.get(name)
      const entry = entryOf(one)
      if (!before?.approval) code.set(name, { ...before, ...entry })
      else if (entry.approval && !file?.approval) {
        // Two declarations in code: both count, so the first stands where a file's would.
        tools.set(name, { ...(file ?? before), approval: before.approval })
        code.set(name, entry)
      }
    }
    const owner = { ...policy.owner, tools }
    return combinePolicy({ ...policy, owner, governance: policy.outside, code })
  }

  function cached(
    made: WeakMap<Policy, Policy>,
    policy: Policy,
    entryOf: (one: Declared) => ToolEntry,
  ): Policy {
    if (declared.size === 0) return policy
    const known = made.get(policy)
    if (known) return known
    const fresh = combined(policy, entryOf)
    made.set(policy, fresh)
    return fresh
  }

  return {
    declare(tool, { approval, otherwise = 'allow', ...rest }) {
      const predicate = typeof approval === 'function' ? (approval as ApprovalPredicate) : undefined
      const asks = approval === undefined ? {} : { approval: predicate ? true : approval }
      const words = { ...asks, ...withoutUndefined(rest) }
      const loaded = loadDeclaration(`code.${tool}`, words)
      if (!loaded.ok) throw policyError(loaded.mistakes)
      const known = declared.get(tool)
      if (known && known.predicate === predicate && sameWords(known.words, words)) return
      if (!known && declared.size >= MAX_DECLARED) {
        throw new CountersignError('too_large', 'too many tools are declared at one gate')
      }
      declared.set(tool, { entry: loaded.entry, words, predicate, otherwise })
      strict = new WeakMap()
      free = new WeakMap()
    },
    over: (policy) => cached(strict, policy, ({ entry }) => entry),
    released: (policy) => cached(free, policy, releasedEntry),
    predicateOf: (tool) => declared.get(tool)?.predicate,
    wordsOf: (tool) => declared.get(tool)?.words,
    codeOf(tool) {
      const known = declared.get(tool)
      return known && { words: known.words, ...(known.predicate ? { byFunction: true } : {}) }
    },
  }
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

/** The policy with one declaration that came with a call. It counts where it is stricter. */
export function withDeclared(policy: Policy, tool: string, words: unknown): Policy {
  const loaded = loadDeclaration(`code.${tool}`, words)
  if (!loaded.ok) throw policyError(loaded.mistakes)
  const code = new Map([...policy.code, [tool, loaded.entry] as const])
  return combinePolicy({ ...policy, governance: policy.outside, code })
}

/** What a remote agent says of its tool, checked against this policy: its groups, for one. */
export function declaredEntry(policy: Policy, tool: string, words: unknown): ToolEntry | undefined {
  return withDeclared(policy, tool, words).code.get(tool)
}

/** The policy as a gate sees it whose code says this, and what to tell about it. */
export function withCode(
  policy: Policy,
  { tool, server, kind = 'tool' }: Pick<Call, 'tool' | 'server' | 'kind'>,
  code: CodeWords | undefined,
): { readonly policy: Policy; readonly code?: { readonly code: CodeWords } } {
  if (code === undefined || server !== undefined || kind !== 'tool') return { policy }
  return { policy: withDeclared(policy, tool, code.words), code: { code } }
}

function withoutUndefined(rest: object): object {
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
}

function sameWords(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
