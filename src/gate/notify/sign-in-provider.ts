import type { Approval } from '../../approval/approval.ts'
import type { Risk } from '../../base/call.ts'
import type { Assurance } from '../../base/oversight.ts'
import { NotDelivered, type NotDeliveredOptions } from './channel.ts'
import type { ChatAnswer, ChatCard } from './channel-host.ts'

/** How a person is named to the provider: by their subject, their verified address, or both as JSON. */
export const LOGIN_HINTS = ['sub', 'email', 'iss_sub'] as const
export type LoginHint = (typeof LOGIN_HINTS)[number]

/** A backchannel authentication request (CIBA): the provider asks a person on a device of theirs. */
export interface BackchannelAsk {
  readonly bindingMessage: string
  /** Seconds in which the person can answer. */
  readonly expiry: number
  /** Authentication contexts that are asked for, most wanted first. */
  readonly acr: readonly string[]
}

export interface BackchannelRequest {
  /** `auth_req_id`: worth nothing without the secret of the client. */
  readonly id: string
  /** Seconds between two polls, at least. */
  readonly interval: number
  /** Seconds from now in which the person can answer. */
  readonly expiresIn: number
}

/** Of which request an answer is wanted, and what must be true of it. */
export interface BackchannelPoll {
  readonly id: string
  /** Who was asked: the token of no other person counts. Anyone’s, where the answer decides nothing. */
  readonly subject?: string
  /** When it was asked: no token that is older counts. */
  readonly askedAt: number
}

export type BackchannelAnswer =
  | { readonly state: 'pending'; readonly slowDown: boolean }
  /** `claims`: of an ID token whose signature, issuer, audience, time and subject were checked. */
  | { readonly state: 'approved'; readonly claims: ProviderClaims }
  | { readonly state: 'denied' }
  | { readonly state: 'expired' }
  /** The provider no longer knows the request: it was answered to a process that died, or dropped. */
  | { readonly state: 'lost' }
  /** A token came that is not the answer of this person to this request. */
  | { readonly state: 'refused'; readonly why: string }

export interface ProviderClaims {
  readonly issuer: string
  readonly subject: string
  readonly acr?: string
}

/** What the provider says of itself. */
export interface BackchannelFacts {
  /** As its ID tokens name it. */
  readonly issuer: string
  readonly hasEndpoint: boolean
  /** How answers can come; empty where it does not say. */
  readonly modes: readonly string[]
}

/** Asks people through the provider and verifies what it answers. */
export interface Backchannel {
  /** Throws `issuer_unavailable`. */
  about(): Promise<BackchannelFacts>
  /** As its ID tokens name it. Throws `issuer_unavailable`. */
  issuer(): Promise<string>
  /** Throws `NotAsked`. */
  begin(loginHint: string, ask: BackchannelAsk): Promise<BackchannelRequest>
  /** Once. Throws `NotDelivered` when there is no answer worth its name. */
  poll(request: BackchannelPoll): Promise<BackchannelAnswer>
}

/**
 * The OpenID provider that people sign in with, for a channel that asks them through it. A yes is a
 * sign-in: the account is brought up to date by its claims, and judged as it is then.
 */
export interface SignInProvider extends Pick<Backchannel, 'issuer'> {
  poll(request: BackchannelPoll & { readonly subject: string }): Promise<BackchannelAnswer>
  /** Only a person who signed in here before. Throws `NotAsked`. */
  begin(subject: string, hint: LoginHint, ask: BackchannelAsk): Promise<BackchannelRequest>
  /** Throws for a person who is locked, was removed, or never signed in here. */
  card(subject: string, approval: string): Promise<RatedCard>
  /** Judged as any answer of the person. */
  approve(
    claims: ProviderClaims,
    assurance: Extract<Assurance, 'signed-in' | 'passkey'>,
    answer: Omit<ChatAnswer, 'verdict'>,
  ): Promise<Approval>
  /** With assurance `chat`: no token proves who pressed no. */
  deny(subject: string, answer: Omit<ChatAnswer, 'verdict'>): Promise<Approval>
}

/** `rated`: the risk of the tool as the policy has it now. What a caller claims may say more, not less. */
export interface RatedCard extends ChatCard {
  readonly rated: Risk | undefined
}

/** Why a person was not asked. */
export class NotAsked extends NotDelivered {
  /** Whether it is certain that the provider did not take the request. */
  readonly isCertain: boolean

  constructor(message: string, options: NotDeliveredOptions & { readonly isCertain: boolean }) {
    super(message, options)
    this.isCertain = options.isCertain
  }
}
