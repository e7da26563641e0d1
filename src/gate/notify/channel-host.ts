import type { Approval } from '../../approval/approval.ts'
import type { PersonId } from '../../approval/people/person.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Question } from '../content/stored-content.ts'
import type { SignInProvider } from './sign-in-provider.ts'

/** An account of a chat, as its provider proves it: an id that no person can choose. */
export interface ChatAccount {
  /** The company's own space at the provider. The same id elsewhere is another account. */
  readonly workspace: string
  readonly id: string
}

/** What a person answers in a chat. No edits, forms or grants: those are made in the inbox. */
export interface ChatAnswer {
  readonly approval: string
  readonly verdict: 'approve' | 'deny'
  /** The digest that was on the screen. */
  readonly seen: string
  readonly reason?: string
}

/** What a channel reads before it offers an answer. Secrets are masked. */
export interface ChatCard {
  readonly approval: Approval
  readonly args: JsonObject | undefined
  readonly question: Question | undefined
  /** Why this person cannot answer here, for the person; undefined: they can. */
  readonly refusal?: string
}

/**
 * For providers whose buttons hold a few bytes: what a button stands for is kept here, under a name.
 * The channel's own; other channels have others under the same name.
 */
export interface ChannelNotes {
  put(name: string, note: JsonObject, ms: number): Promise<void>
  /** Undefined when it was never there, or is past its time. */
  get(name: string): Promise<JsonObject | undefined>
}

/**
 * What a channel has under way at its provider and must not lose with a process. The channel's own,
 * and shared by all processes: of several that expect the same revision, one succeeds.
 */
export interface ChannelRequests {
  get(name: string): Promise<ChannelRequest | undefined>
  /** Undefined when it is no longer at that revision, or no longer absent. Kept for `ms`. */
  put(
    name: string,
    value: JsonObject,
    options: { readonly expect: number | 'absent'; readonly ms: number },
  ): Promise<ChannelRequest | undefined>
  list(): Promise<readonly ChannelRequest[]>
  remove(name: string): Promise<void>
  /** The clock of the store, which all processes share. */
  now(): Promise<number>
}

export interface ChannelRequest {
  readonly name: string
  readonly value: JsonObject
  readonly revision: number
}

/**
 * What a server does for one of its channels. Refusals are thrown as `CountersignError`, and their
 * message is for the person. Answers of linked accounts have assurance `chat`.
 */
export interface ChannelHost {
  /** Throws `not_linked` for an account that no person has linked. */
  card(from: ChatAccount, approval: string): Promise<ChatCard>
  /** Judged as any answer, with assurance `chat`. */
  decide(from: ChatAccount, answer: ChatAnswer): Promise<Approval>
  /** Sent to the channel by the owner of the account; counts once the person confirms it in the inbox. */
  claimLink(from: ChatAccount & { readonly name: string }, code: string): Promise<void>
  /** Accounts that this person linked in the channel. */
  accountsOf(person: PersonId): Promise<readonly ChatAccount[]>
  /** What the channel remembers between two messages of a person. Shared by all processes. */
  readonly notes: ChannelNotes
  readonly requests: ChannelRequests
  /** The OpenID provider that people sign in with, where there is one. */
  readonly provider?: SignInProvider
  /** Opens the approval in the inbox, where the address is known. */
  link(approval: string): string | undefined
  /** In one line, for operators: no secrets, no arguments. */
  report(line: string): void
}
