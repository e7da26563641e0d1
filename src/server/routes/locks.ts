import { isOnCalls, type Lock, type LockTarget, targetWords } from '../../approval/locks/lock.ts'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json/json.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import type { AgentLock, AgentLocks, LockList, WireLock, WireLockTarget } from '../../wire/locks.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { object, optional, type Shape, text, whole } from '../http/shape.ts'
import type { Accounts } from '../identity/people.ts'
import type { Services } from '../services.ts'
import { given } from '../view/row.ts'

const NAME = text({ min: 1, max: 1_024 })
const KEYS = ['everything', 'agent', 'server', 'tool', 'person', 'approval']

/** Exactly one thing; `tool` may stand beside `server`. */
const TARGET: Shape<LockTarget> = {
  schema: {
    type: 'object',
    properties: {
      everything: { const: true },
      agent: NAME.schema,
      server: NAME.schema,
      tool: NAME.schema,
      person: object({ issuer: NAME, subject: NAME }).schema,
      approval: NAME.schema,
    },
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 2,
    description: 'one of these; tool may stand beside server',
  },
  read(value, path) {
    const keys = isPlainObject(value) ? Object.keys(value) : []
    const isPair = keys.length === 2 && keys.includes('server') && keys.includes('tool')
    if (
      !isPlainObject(value) ||
      !keys.every((key) => KEYS.includes(key)) ||
      !(keys.length === 1 || isPair)
    ) {
      throw new CountersignError(
        'invalid_value',
        `${path} names not exactly one of ${KEYS.join(', ')}`,
      )
    }
    const inside = (key: string) => `${path}.${key}`
    if ('everything' in value) {
      if (value.everything === true) return { everything: true }
      throw new CountersignError('invalid_value', `${inside('everything')} is not true`)
    }
    if ('person' in value) {
      return {
        person: object({ issuer: NAME, subject: NAME }).read(value.person, inside('person')),
      }
    }
    const [key = '', second] = keys.toSorted()
    const named = { [key]: NAME.read(value[key], inside(key)) }
    return (second === undefined
      ? named
      : { ...named, [second]: NAME.read(value[second], inside(second)) }) as unknown as LockTarget
  },
}

/** Stopping agents, tools, servers, people, single approvals, or everything. */
export function lockRoutes({ gate, store, credentials, policy }: Services): Route[] {
  const { accounts } = credentials
  return [
    route({
      method: 'get',
      path: '/v1/locks',
      who: [...PEOPLE, 'agent'],
      summary: 'What is locked now. Agents get what can hold back their calls.',
      answer: 'A list of locks.',
      async handle({ c, caller }) {
        const locks = await gate.admin.locks.list()
        const now = await store.now()
        if (caller.kind === 'agent') {
          const { agent } = caller.token
          const own = locks.filter(
            (lock) => isOnCalls(lock) && !('agent' in lock.target && lock.target.agent !== agent),
          )
          const name = await policyName(policy())
          return c.json({ locks: own.map(agentLock), now, policy: name } satisfies AgentLocks)
        }
        const { person } = personOf(caller)
        const shown = await Promise.all(locks.map((lock) => wireLock(lock, accounts)))
        return c.json({ locks: shown, now, can: mayDo(person) } satisfies LockList)
      },
    }),
    route({
      method: 'post',
      path: '/v1/locks',
      who: ['approver', 'admin'],
      summary: 'Lock something, at once and everywhere. A person is locked by admins only.',
      body: object({
        target: TARGET,
        reason: text({ min: 1, max: 1_000, description: 'people and agents read it' }),
        until: optional(whole({ min: 0, max: Number.MAX_SAFE_INTEGER })),
      }),
      answer: 'The lock.',
      async handle({ c, caller, body }) {
        const { person } = personOf(caller)
        const target = await completed(body.target, accounts)
        return c.json(
          await wireLock(await gate.admin.locks.set(person, { ...body, target }), accounts),
          201,
        )
      },
    }),
    route({
      method: 'delete',
      path: '/v1/locks/:lock',
      who: ['admin'],
      summary: 'Lift a lock.',
      answer: 'The lock that was lifted.',
      async handle({ c, caller }) {
        const lifted = await gate.admin.locks.lift(
          personOf(caller).person,
          c.req.param('lock') ?? '',
        )
        return c.json(await wireLock(lifted, accounts))
      },
    }),
  ]
}

/** With the address of the person: a second login under it is the same human being. */
async function completed(target: LockTarget, accounts: Accounts): Promise<LockTarget> {
  if (!('person' in target)) return target
  const { issuer = '', subject } = target.person
  const account = await accounts.get({ issuer, subject })
  if (!account) {
    throw new CountersignError('not_found', 'there is no such person', {
      hint: '`countersign people list` lists them.',
    })
  }
  return { person: { issuer, subject, ...given({ email: account.email }) } }
}

function mayDo({ roles, locked }: Person): LockList['can'] {
  if (locked) return []
  if (roles.includes('admin')) return ['set', 'set_person', 'lift']
  return roles.includes('approver') ? ['set'] : []
}

async function wireLock(lock: Lock, accounts: Accounts): Promise<WireLock> {
  const { id, target, by, reason, at, until } = lock
  const account = await accounts.get(by)
  return {
    id,
    target: wireTarget(target),
    words: targetWords(target),
    by: { ...by, ...given({ name: account?.name, email: account?.email }) },
    reason,
    at,
    ...given({ until }),
  }
}

function wireTarget(target: LockTarget): WireLockTarget {
  if (!('person' in target)) return target
  const { issuer = '', subject } = target.person
  return { person: { issuer, subject } }
}

function agentLock({ id, target, reason, at, until }: Lock): AgentLock {
  return { id, target: target as AgentLock['target'], reason, at, ...given({ until }) }
}
