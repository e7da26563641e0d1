import type { AgentLock, AgentLocks, LockList, WireLock, WireLockTarget } from '../../api/locks.ts'
import { isOnCalls, type Lock, type LockTarget, targetWords } from '../../approval/locks/lock.ts'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { disguised } from '../../gate/admin/operator-state.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import { internals } from '../../gate/internals.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { Accounts } from '../identity/people.ts'
import type { Services } from '../services.ts'

const MOST_NAMES = 10_000

/** Stopping agents, tools, servers, people, single approvals, or everything. */
export function lockRoutes({ gate, store, credentials, policy }: Services): Route[] {
  const { accounts } = credentials
  const salt = crypto.randomUUID()
  const hidden = new Map<string, string>()
  // Agents ask every second; names are few and stay.
  async function hide(name: string): Promise<string> {
    const known = hidden.get(name) ?? (await disguised(name, salt))
    if (hidden.size >= MOST_NAMES) hidden.clear()
    hidden.set(name, known)
    return known
  }
  return [
    route('GET /v1/locks', async ({ caller, reply }) => {
      const locks = await gate.admin.locks.list()
      const now = await store.now()
      if (caller.kind === 'agent') {
        const { agent } = caller.token
        const own = locks.filter(
          (lock) => isOnCalls(lock) && !('agent' in lock.target && lock.target.agent !== agent),
        )
        const name = await policyName(policy())
        const names = await gate[internals].askedByOtherRules()
        const tools = await Promise.all(names.map(hide))
        // Sorted: the order would tell which were asked about together.
        const asked = { salt, tools: tools.toSorted() }
        const answer: AgentLocks = { locks: own.map(agentLock), now, policy: name, asked }
        return reply(200, answer)
      }
      const { person } = personOf(caller)
      const shown = await Promise.all(locks.map((lock) => wireLock(lock, accounts)))
      return reply(200, { locks: shown, now, can: mayDo(person) } satisfies LockList)
    }),
    route('POST /v1/locks', async ({ caller, body, reply }) => {
      const { person } = personOf(caller)
      const target = await completed(body.target, accounts)
      return reply(
        201,
        await wireLock(await gate.admin.locks.set(person, { ...body, target }), accounts),
      )
    }),
    route('DELETE /v1/locks/:lock', async ({ caller, params, reply }) => {
      const lifted = await gate.admin.locks.lift(personOf(caller).person, params.lock)
      return reply(200, await wireLock(lifted, accounts))
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
