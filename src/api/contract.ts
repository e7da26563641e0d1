import type { ErrorCode } from '../base/errors.ts'
import type { ProblemName } from './authzen/problem.ts'
import type { Given, Infer, Schema } from './schema.ts'

/** Who may use a route: every caller, agents with a token, or people with one of these roles. */
export type Who = 'anyone' | 'agent' | 'viewer' | 'approver' | 'author' | 'admin'

/** Every signed-in person who has any role. */
export const PEOPLE = ['viewer', 'approver', 'author', 'admin'] as const satisfies readonly Who[]

export type Tag =
  | 'Calls'
  | 'Approvals'
  | 'Grants'
  | 'Locks'
  | 'Tools'
  | 'Chat'
  | 'Studio'
  | 'Policy'
  | 'People'
  | 'Sign-in'
  | 'Audit'
  | 'AuthZEN'
  | 'OAuth'
  | 'Operation'

/** A response without a body. */
export interface Empty {
  readonly kind: 'empty'
}
export const EMPTY: Empty = { kind: 'empty' }

/** A response that is not JSON. */
export interface Raw {
  readonly kind: 'raw'
  readonly type: string
}
export const raw = (type: string): Raw => ({ kind: 'raw', type })

/** Agents see less than people do. Its name is the one of both in the OpenAPI document. */
export interface ByCaller<P extends Schema = Schema, A extends Schema = Schema> {
  readonly kind: 'by-caller'
  readonly name: string
  readonly person: P
  readonly agent: A
}
export function byCaller<P extends Schema, A extends Schema>(
  name: string,
  person: P,
  agent: A,
): ByCaller<P, A> {
  return { kind: 'by-caller', name, person, agent }
}

export type Reply = Schema | Empty | Raw | ByCaller

/** Everything that is promised about one route. Its method and path are its name. */
export interface Contract {
  readonly tag: Tag
  readonly who: readonly Who[]
  /** The sender proves itself to the route: credentials in the request are not ours, and not read. */
  readonly provesItself?: true
  readonly summary: string
  /** Each may be absent. A list is written with commas. */
  readonly query?: Readonly<Record<string, Schema>>
  readonly body?: Schema
  /** What comes back, in words. */
  readonly answer: string
  /** By status. The first one is the usual one. */
  readonly responses: Readonly<Record<number, Reply>>
  /** Codes of its own, besides those that every route of its kind can answer. */
  readonly errors?: readonly ErrorCode[]
  /** Problems of AuthZEN, which come as `application/problem+json`. */
  readonly problems?: readonly ProblemName[]
  /** Refuses as RFC 6749 says, with 400 and a body of its own. */
  readonly oauthErrors?: true
  /** Takes tokens of MCP clients that a person allowed, which are good nowhere else. */
  readonly forClients?: true
  /** The cookie alone is enough. For what tells nothing and for readers that send no headers. */
  readonly isOpen?: true
  /** A locked person may still do it. Looking is always open to them. */
  readonly evenLocked?: true
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** As in `GET /v1/approvals/:id`. */
export type Name = `${Method} /${string}`
export type Contracts = Readonly<Record<Name, Contract>>

type ParamNames<Path extends string> = Path extends `${string}:${infer Param}/${infer Rest}`
  ? Param | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Param}`
    ? Param
    : never

export type ParamsOf<N extends string> = { readonly [P in ParamNames<N>]: string }

export type QueryOf<C> = C extends { readonly query: infer Q extends Record<string, Schema> }
  ? { readonly [K in keyof Q]?: Infer<Q[K]> }
  : Record<never, never>

export type BodyOf<C> = C extends { readonly body: infer S extends Schema } ? Infer<S> : undefined

/** The body as its sender writes it. */
export type GivenBodyOf<C> = C extends { readonly body: infer S extends Schema }
  ? Given<S>
  : undefined

export type CallerKind = 'person' | 'agent'

export type ReplyOf<R, Caller extends CallerKind = CallerKind> =
  R extends ByCaller<infer P, infer A>
    ? Caller extends 'agent'
      ? Infer<A>
      : Infer<P>
    : R extends Schema
      ? Infer<R>
      : undefined

/** What a caller gets when all goes well. */
export type ResponseOf<C extends Contract, Caller extends CallerKind = CallerKind> = ReplyOf<
  C['responses'][keyof C['responses']],
  Caller
>

const ANY: readonly ErrorCode[] = [
  'wrong_host',
  'wrong_origin',
  'not_found',
  'token_unknown',
  'too_many_requests',
  'internal',
  'store_busy',
  'store_closed',
  'store_damaged',
  'store_replaced',
  'store_unavailable',
  'clock_behind',
  'outcome_unknown',
]
const WITH_BODY: readonly ErrorCode[] = [
  'wrong_type',
  'invalid_json',
  'duplicate_key',
  'invalid_unicode',
  'unsafe_number',
  'too_deep',
  'invalid_value',
]

export const isForPeople = ({ who }: Contract) =>
  who.some((one) => one !== 'agent' && one !== 'anyone')

/** Every code that a route can answer, in the order of the table. */
export function errorsOf(name: string, contract: Contract): readonly ErrorCode[] {
  const { who, body, query, errors = [], isOpen, evenLocked } = contract
  const isChange = !name.startsWith('GET ')
  const codes: readonly ErrorCode[] = [
    ...ANY,
    ...(who.includes('anyone') ? [] : (['not_signed_in', 'not_permitted'] as const)),
    ...(isForPeople(contract) && !isOpen ? (['csrf_mismatch'] as const) : []),
    ...(isForPeople(contract) && isChange && !evenLocked ? (['locked'] as const) : []),
    ...(isChange ? (['too_large'] as const) : []),
    ...(body ? WITH_BODY : []),
    ...(query ? (['invalid_value'] as const) : []),
    ...errors,
  ]
  return [...new Set(codes)]
}
