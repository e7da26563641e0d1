import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as v from 'valibot'
import type { BodyOf, Contract, ParamsOf, QueryOf, ReplyOf, Who } from '../../api/contract.ts'
import { CONTRACTS, type ContractOf, type RouteName } from '../../api/contracts.ts'
import type { Infer, Schema } from '../../api/schema.ts'
import { lockedBecause, lockOnPerson } from '../../approval/locks/lock.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import { bodyBytes } from '../../base/net/request-body.ts'
import type { LockCopy } from '../../gate/admin/operator-state.ts'
import type { Attempt } from '../evidence/refused-attempts.ts'
import {
  type AgentCaller,
  ANONYMOUS,
  type Caller,
  type Credentials,
  callerOf,
  type PersonCaller,
} from '../identity/caller.ts'
import { attemptOf } from './attempt.ts'
import { type Handler, Written } from './every-request.ts'
import type { RateLimit } from './rate-limit.ts'
import { CHALLENGE } from './refusal.ts'

export interface Route {
  readonly name: RouteName
  readonly contract: Contract
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** As in `/v1/approvals/:id`. */
  readonly path: string
  readonly who: readonly Who[]
  /** Reads the body, where there is one. */
  readonly read: ((value: Json) => unknown) | undefined
  readonly handle: (request: AnySent) => Promise<Response> | Response
  /** Added to `www-authenticate` where a caller is not known: how to become one. */
  readonly challenge?: (c: Context) => string
}

declare const brand: unique symbol
/** A response that was made as the contract says. */
export type Answer = Response & { readonly [brand]: true }

type Replies<N extends RouteName> = ContractOf<N>['responses']

/** Sends a response. Its type is checked; its value is not, except in tests. */
export type Send<N extends RouteName> = <S extends keyof Replies<N>>(
  status: S,
  ...body: undefined extends ReplyOf<Replies<N>[S]> ? [] : [body: ReplyOf<Replies<N>[S]>]
) => Answer

interface AnySent {
  readonly c: Context
  readonly caller: Caller
  readonly params: never
  readonly query: never
  readonly body: never
  readonly reply: never
  raw(response: Response): Answer
  written(text: string): Answer
}

export interface Sent<N extends RouteName, B = BodyOf<ContractOf<N>>> {
  readonly c: Context
  readonly caller: Caller
  readonly params: ParamsOf<N>
  readonly query: QueryOf<ContractOf<N>>
  readonly body: B
  readonly reply: Send<N>
  /** Streams, files and other answers that are not JSON of ours. */
  raw(response: Response): Answer
  /** A body for status 200 that is written already. */
  written(text: string): Answer
}

type Handle<N extends RouteName, B> = (sent: Sent<N, B>) => Promise<Answer> | Answer

/** What a contract promises, kept by this function. */
export function route<N extends RouteName>(
  name: N,
  handle: Handle<N, BodyOf<ContractOf<N>>>,
): Route {
  const { body }: Contract = CONTRACTS[name]
  return made(name, body && ((value) => readInput(body, value, 'the body')), handle)
}

/** The same with a body that another reader knows more about than its schema says. */
export function routeReading<N extends RouteName, B>(
  name: N,
  read: (value: Json) => B,
  handle: Handle<N, B>,
): Route {
  return made(name, read, handle)
}

function made(name: RouteName, read: Route['read'], handle: unknown): Route {
  const contract: Contract = CONTRACTS[name]
  const [method = '', path = ''] = name.split(' ')
  return {
    name,
    contract,
    method: method.toLowerCase() as Route['method'],
    path,
    who: contract.who,
    read,
    handle: handle as Route['handle'],
  }
}

const MOST_BYTES = 1_048_576

export interface Door {
  readonly credentials: Credentials
  /** How much one token may ask. */
  readonly calls: RateLimit
  readonly locks: LockCopy
  /** Hears of what was tried and not allowed. */
  readonly refused: (attempt: Attempt) => void
}

/**
 * Addresses without parameters are found in a table; the others are searched for. An exact address
 * wins over a pattern, whichever was added first: `/v1/people/stand-ins` is no person.
 */
export function exactFirst<T>(): Router<T> {
  const exact = new Map<string, Map<string, Result<T>>>()
  const patterns = new TrieRouter<T>()
  return {
    name: 'ExactFirst',
    add(method, path, handler) {
      if (/[:*]/.test(path)) {
        patterns.add(method, path, handler)
        return
      }
      const paths = exact.get(method) ?? new Map<string, Result<T>>()
      // One handler for each address: the first, as everywhere in Hono.
      if (!paths.has(path)) exact.set(method, paths.set(path, [[[handler, {}]]]))
    },
    match: (method, path) => exact.get(method)?.get(path) ?? patterns.match(method, path),
  }
}

/** A route behind everything that must hold before it runs. */
export function handlerOf(spec: Route, door: Door): Handler {
  const { read, contract, handle } = spec
  const query = Object.entries(contract.query ?? {})
  const isPattern = spec.path.includes(':')
  const isOpen = contract.isOpen || spec.who.includes('anyone')
  const changes = spec.method !== 'get'
  const heldByLock = changes && !contract.evenLocked && !spec.who.includes('anyone')
  return async (c) => {
    let caller: Caller = ANONYMOUS
    try {
      if (spec.challenge) c.set(CHALLENGE, spec.challenge(c))
      if (changes && !isBounded(c)) await assertShort(c)
      if (!contract.provesItself) caller = await callerOf(c, door.credentials)
      if (caller.kind === 'agent') {
        door.calls.take(caller.token.prefix)
        assertForHere(contract, caller)
      }
      assertMay(spec, caller)
      if (caller.kind === 'person') {
        if (!isOpen) assertOwnPage(c, caller)
        if (heldByLock) await assertNotLocked(caller, door)
      }
      const body = read ? read(await readBody(c)) : undefined
      const sent = {
        c,
        caller,
        body,
        params: isPattern ? c.req.param() : NOTHING,
        query: query.length === 0 ? NOTHING : queryOf(c, query),
        raw,
        written,
        reply: (status: ContentfulStatusCode, value?: unknown) =>
          value === undefined ? c.body(null, status as 204) : c.json(value, status),
      }
      return await handle(sent as unknown as AnySent)
    } catch (error) {
      const attempt = attemptOf(error, caller, spec, c)
      if (attempt) door.refused(attempt)
      throw error
    }
  }
}

/**
 * The parser holds a request with a content-length to it; only the others have to be counted, which
 * reads the whole body.
 */
function isBounded(c: Context): boolean {
  const length = c.req.header('content-length')
  if (length === undefined) return false
  // Also where it is no number.
  if (!(Number(length) <= MOST_BYTES)) throw tooLarge()
  return true
}

/** Counting reads the body and puts another request in its place. */
async function assertShort(c: Context): Promise<void> {
  const sent = c.req.raw
  if (await countBody(c, async () => {})) throw tooLarge()
  if (c.req.raw !== sent) counted.set(c.req.raw, sent)
}

/**
 * By the request that took its place: a signal keeps nothing alive that it follows, so without the first
 * one the second would never tell that the page is gone.
 */
const counted = new WeakMap<Request, Request>()

const countBody = bodyLimit({ maxSize: MOST_BYTES, onError: (c) => c.body(null, 413) })

function tooLarge(): CountersignError {
  return new CountersignError('too_large', `the body is larger than ${MOST_BYTES} bytes`)
}

const raw = (response: Response) => response as Answer
const written = (text: string) => new Written(text) as unknown as Answer
const NOTHING = {}

function queryOf(c: Context, known: readonly (readonly [string, Schema])[]) {
  const given = known.flatMap(([name, schema]) => {
    const text = c.req.query(name)
    return text === undefined ? [] : [[name, readQuery(schema, text, name)]]
  })
  return Object.fromEntries(given)
}

function assertMay({ who }: Route, caller: Caller): void {
  if (who.includes('anyone')) return
  if (caller.kind === 'anonymous') {
    throw new CountersignError('not_signed_in', 'this request is not signed in')
  }
  if (caller.kind === 'agent') {
    if (who.includes('agent')) return
    throw new CountersignError('not_permitted', 'this is for people; an agent cannot do it', {
      hint: 'A person does this in the inbox.',
    })
  }
  if (caller.person.roles.some((role) => who.includes(role))) return
  const isForPeople = who.some((one) => one !== 'agent')
  throw isForPeople
    ? new CountersignError('not_permitted', `this needs the role ${who.join(' or ')}`)
    : new CountersignError('not_permitted', 'this is for agents; it needs an agent token')
}

/** A person allowed a client to call tools at one address; elsewhere its token is not one. */
function assertForHere({ forClients }: Contract, { token }: AgentCaller): void {
  if (token.client === undefined || forClients) return
  throw new CountersignError('token_unknown', 'this token is for /mcp and nothing else')
}

/** A locked person can look. What they could change would outlive the lock, or get around it. */
async function assertNotLocked({ person }: PersonCaller, { locks }: Door): Promise<void> {
  const held = await locks.current()
  // Nearly always nothing is locked.
  const lock = held.length === 0 ? undefined : lockOnPerson(held, person, locks.now())
  if (lock) throw new CountersignError('locked', lockedBecause(lock))
}

/**
 * A cookie travels with every request the browser makes, wanted or not, and to every port of this
 * machine. The key does not: only the page that signed in has it.
 */
function assertOwnPage(c: Context, caller: PersonCaller): void {
  if (caller.session.isKey(c.req.header('x-countersign-csrf') ?? '')) return
  throw new CountersignError('csrf_mismatch', 'the request does not prove that our page made it')
}

async function readBody(c: Context): Promise<Json> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new CountersignError('wrong_type', 'the body is not marked as JSON')
  }
  // Not by Hono, which keeps a copy for readers that are not there.
  return parseStrict(await bodyBytes(c.req.raw))
}

export function personOf(caller: Caller): PersonCaller {
  if (caller.kind === 'person') return caller
  throw new CountersignError('not_signed_in', 'this request is not signed in')
}

export function agentOf(caller: Caller): AgentCaller {
  if (caller.kind === 'agent') return caller
  throw new CountersignError('not_permitted', 'this is for agents; it needs an agent token')
}

// One problem is enough to refuse, and a hostile body could have a million.
const FIRST = { abortEarly: true }

/** Reads what was sent as its contract says. Throws `invalid_value` with the place of the problem. */
function readInput<S extends Schema>(schema: S, value: unknown, whole: string): Infer<S> {
  const read = v.safeParse(schema, value, FIRST)
  if (read.success) return read.output as Infer<S>
  const [{ path, message }] = read.issues
  throw new CountersignError('invalid_value', `${placeOf(path) || whole} ${message}`)
}

function placeOf(path: readonly { readonly key?: unknown }[] = []): string {
  return path.reduce((place: string, { key }) => {
    if (typeof key === 'number') return `${place}[${key}]`
    return place === '' ? String(key) : `${place}.${String(key)}`
  }, '')
}

/** Reads one value of the query, which is text, as the type that its contract names. */
function readQuery<S extends Schema>(schema: S, text: string, name: string): Infer<S> {
  const read = v.safeParse(schema, QUERY_VALUES[schema.type]?.(text) ?? text, FIRST)
  if (read.success) return read.output as Infer<S>
  throw new CountersignError('invalid_value', `${name} ${read.issues[0].message}`)
}

const QUERY_VALUES: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  array: (text) => text.split(','),
}
