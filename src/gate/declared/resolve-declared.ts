import { answerInTime } from '../pipeline/resolve-mode.ts'
import type { CallDeclaration, CodeWords } from './declarations.ts'

/** How an SDK's own approval setting is asked about one call. */
export interface Native {
  /** The call's arguments, for a function whose context cannot be had. */
  readonly args: unknown
  /**
   * Calls the SDK's function with what the SDK itself would give it. Left out where that cannot be
   * had: then a function that wants to know more than the arguments counts as a yes.
   */
  readonly ask?: (() => unknown) | undefined
  /**
   * What a no means: that the call is allowed, or that code says nothing, for SDKs that cannot tell
   * a `false` from nothing written at all.
   */
  readonly otherwise?: 'allow' | 'files' | undefined
}

/**
 * What an SDK's own setting, `needsApproval` or whatever it is called there, says of one call. A
 * function that throws, takes over a second, or answers anything but true or false asks.
 */
export async function resolveDeclared(
  setting: unknown,
  { args, ask, otherwise = 'allow' }: Native,
): Promise<CallDeclaration | undefined> {
  const no = otherwise === 'allow' ? { approval: false } : undefined
  if (setting === undefined) return undefined
  if (setting === false) return no
  if (typeof setting !== 'function') return { approval: true }
  const needs = ask ? await answerInTime(ask) : await withoutContext(setting as Needs, args)
  return needs === false ? { ...no, byFunction: true } : { approval: true, byFunction: true }
}

type Needs = (...given: unknown[]) => unknown

/**
 * A function for which there is no context. One that declares more parameters than the arguments
 * counts as a yes; so does one that reaches for more without declaring it, by `...rest` or a default.
 */
async function withoutContext(needs: Needs, args: unknown): Promise<unknown> {
  if (needs.length > 1) return true
  let touched = false
  const refuse = () => {
    touched = true
    throw new TypeError('there is no context here')
  }
  const traps = Object.fromEntries(TRAPS.map((trap) => [trap, refuse]))
  const missing = new Proxy({}, traps as ProxyHandler<object>)
  const answer = await answerInTime(() => needs(args, missing, missing))
  return touched ? true : answer
}

const TRAPS = [
  'get',
  'has',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'getPrototypeOf',
  'set',
  'defineProperty',
] as const

/** The same for people who want to know what code says: a function may ask about any call. */
export function shownDeclaration(settings: readonly unknown[]): { readonly declared?: CodeWords } {
  const asks = settings.filter((one) => one === true || typeof one === 'function')
  if (asks.length === 0) return {}
  const byFunction = !asks.includes(true)
  return { declared: { words: { approval: true }, ...(byFunction ? { byFunction } : {}) } }
}
