import type { Context, Hono, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Lock, lockedBecause } from '../../approval/locks/lock.ts'
import type { Person, Role } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { AgentCaller, Caller, PersonCaller } from '../identity/caller.ts'
import type { RateLimit } from './rate-limit.ts'
import { refuse } from './refusal.ts'
import type { Shape } from './shape.ts'

/** Who may use a route: every caller, agents with a token, or people with one of these roles. */
export type Who = 'anyone' | 'agent' | Role

export interface Route<B = unknown> {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** As in `/v1/approvals/:id`. */
  readonly path: string
  readonly who: readonly Who[]
  readonly summary: string
  /** What the body must look like; absent: there is none. */
  readonly body?: Shape<B>
  readonly query?: { readonly [name: string]: Json }
  /** The cookie alone is enough. For what tells nothing and for readers that send no headers. */
  readonly isOpen?: true
  /** A locked person may still do it. Looking is always open to them. */
  readonly evenLocked?: true
  /** What comes back, in words. */
  readonly answer: string
  readonly handle: (request: Sent<B>) => Promise<Response> | Response
}

export interface Sent<B> {
  readonly c: Context
  readonly body: B
  readonly caller: Caller
}

/** Every signed-in person who has any role. */
export const PEOPLE: readonly Who[] = ['viewer', 'approver', 'admin']

/** Infers the type of the body from its shape. */
export function route<B>(spec: Route<B>): Route {
  return spec as unknown as Route
}

const MOST_BYTES = 1_048_576

export interface Door {
  readonly who: (c: Context) => Promise<Caller>
  /** How much one token may ask. */
  readonly calls: RateLimit
  /** The lock under which this person changes nothing, if there is one. */
  readonly lockOn: (person: Person) => Promise<Lock | undefined>
}

/** Puts a route behind everything that must hold before it runs. */
export function mount(app: Hono, spec: Route, door: Door): void {
  const { who, calls } = door
  const { method, path, body: shape } = spec
  const limit = bodyLimit({
    maxSize: MOST_BYTES,
    onError: (c) => refuse(c, 'too_large', `the body is larger than ${MOST_BYTES} bytes`),
  })
  // The parser holds a request with a content-length to it; only the others have to be counted,
  // which makes a stream of every body.
  const bounded: MiddlewareHandler = async (c, next) => {
    const length = c.req.header('content-length')
    if (method === 'get') return next()
    if (length === undefined) return limit(c, next)
    if (Number(length) <= MOST_BYTES) return next()
    return refuse(c, 'too_large', `the body is larger than ${MOST_BYTES} bytes`)
  }
  app.on(method.toUpperCase(), path, bounded, async (c) => {
    const caller = await who(c)
    if (caller.kind === 'agent') calls.take(caller.token.prefix)
    assertMay(spec, caller)
    if (!spec.isOpen && !spec.who.includes('anyone')) assertOwnPage(c, caller)
    await assertNotLocked(spec, caller, door)
    const body = shape ? shape.read(await readBody(c), '') : undefined
    return spec.handle({ c, caller, body })
  })
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

/** A locked person can look. What they could change would outlive the lock, or get around it. */
async function assertNotLocked(spec: Route, caller: Caller, { lockOn }: Door): Promise<void> {
  const isFree = spec.method === 'get' || spec.evenLocked || spec.who.includes('anyone')
  const lock = isFree || caller.kind !== 'person' ? undefined : await lockOn(caller.person)
  if (lock) throw new CountersignError('locked', lockedBecause(lock))
}

/**
 * A cookie travels with every request the browser makes, wanted or not, and to every port of this
 * machine. The key does not: only the page that signed in has it.
 */
function assertOwnPage(c: Context, caller: Caller): void {
  if (caller.kind !== 'person') return
  if (caller.session.isKey(c.req.header('x-countersign-csrf') ?? '')) return
  throw new CountersignError('csrf_mismatch', 'the request does not prove that our page made it')
}

async function readBody(c: Context): Promise<Json> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new CountersignError('wrong_type', 'the body is not marked as JSON')
  }
  return parseStrict(new Uint8Array(await c.req.arrayBuffer()))
}

export function personOf(caller: Caller): PersonCaller {
  if (caller.kind === 'person') return caller
  throw new CountersignError('not_signed_in', 'this request is not signed in')
}

export function agentOf(caller: Caller): AgentCaller {
  if (caller.kind === 'agent') return caller
  throw new CountersignError('not_permitted', 'this is for agents; it needs an agent token')
}
