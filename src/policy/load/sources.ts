import type { Policy } from '../policy.ts'

/** The text that a part of a policy was read from. */
export interface PolicyText {
  readonly role: 'owner' | 'governance'
  readonly file: string
  readonly text: string
}

const texts = new WeakMap<Policy, readonly PolicyText[]>()

/** Keeps the texts beside the policy: a server records them, and agents evaluate them. */
export function keepTexts(policy: Policy, files: readonly PolicyText[]): void {
  texts.set(policy, files)
}

/** The owner's text first. Undefined where the policy was not read from texts alone. */
export function textsOf(policy: Policy): readonly PolicyText[] | undefined {
  return texts.get(policy)
}
