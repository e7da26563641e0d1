import type { Context } from 'hono'
import { EXECUTION_STATES, STATUSES } from '../../approval/approval.ts'
import { parseDuration } from '../../base/duration.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { isApprovalEvent } from '../../store/audit/audit.ts'
import type { Filter, Order, Page } from '../../store/store.ts'
import type { WireEvent } from '../../wire/approval.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { approvalCard, approvalPage, knownApproval, ownPage } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { agentApproval, agentRow } from '../view/agent-view.ts'

const LONGEST_WAIT = 60_000

/** Looking at approvals. Nothing here changes anything. */
export function approvalRoutes(services: Services): Route[] {
  const { store } = services
  return [
    route({
      method: 'get',
      path: '/v1/approvals',
      who: [...PEOPLE, 'agent'],
      summary: 'A page of approvals. Agents get their own, without results.',
      query: {
        status: { type: 'string', description: 'one or several, separated by commas; or all' },
        execution: { type: 'string', description: 'likewise; none: not claimed' },
        order: { type: 'string', enum: ['risk', 'deadline', 'newest', 'oldest'] },
        q: { type: 'string', description: 'words that must occur' },
        tool: { type: 'string' },
        server: { type: 'string' },
        run: { type: 'string' },
        agent: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 500 },
        after: { type: 'string', description: 'next of the page before' },
      },
      answer: 'The approvals, and where the next page begins.',
      async handle({ c, caller }) {
        const search = readSearch(c)
        if (caller.kind !== 'agent') {
          return c.json(await approvalPage(services, search, personOf(caller).person))
        }
        const { approvals, next } = await ownPage(store, search, caller.token)
        const own = approvals.map(agentRow)
        return c.json({ approvals: own, ...(next === undefined ? {} : { next }) })
      },
    }),
    route({
      method: 'get',
      path: '/v1/approvals/:id',
      who: [...PEOPLE, 'agent'],
      summary: 'One approval. With wait, as soon as it is no longer pending.',
      query: { wait: { type: 'string', description: 'at most 60s' } },
      answer: 'A card for people; for the agent that asked, how it stands.',
      async handle({ c, caller }) {
        const known = await knownApproval(store, c.req.param('id') ?? '', caller)
        const approval = await decided(services, known, readWait(c), c.req.raw.signal)
        if (caller.kind === 'agent') await services.credentials.tokens.assertThere(caller.token)
        return caller.kind === 'agent'
          ? c.json(await agentApproval(store, approval))
          : c.json(await approvalCard(services, approval, personOf(caller).person))
      },
    }),
    route({
      method: 'get',
      path: '/v1/approvals/:id/events',
      who: PEOPLE,
      summary: 'Everything recorded about one approval, oldest first.',
      answer: 'A list of events.',
      async handle({ c, caller }) {
        const { id } = await knownApproval(store, c.req.param('id') ?? '', caller)
        const entries = await store.events(id)
        return c.json({ events: entries.flatMap(wireEvent) })
      },
    }),
  ]
}

type Approval = Page['approvals'][number]

/** The approval once it is decided, or as it is when the time is up. */
async function decided(
  { store, stopping }: Services,
  approval: Approval,
  wait: number,
  gone: AbortSignal,
): Promise<Approval> {
  if (wait === 0 || approval.status !== 'pending') return approval
  const signal = AbortSignal.any([AbortSignal.timeout(wait), gone, stopping])
  let latest = approval
  try {
    while (latest.status === 'pending') {
      latest = await store.waitFor(latest.id, latest.revision, signal)
    }
  } catch (error) {
    // Only the wait is over; everything else is an error.
    if (!signal.aborted || isCountersignError(error)) throw error
  }
  return latest
}

function readWait(c: Context): number {
  const text = c.req.query('wait')
  if (text === undefined) return 0
  const wait = parseDuration(text)
  if (wait.ok) return Math.min(wait.value, LONGEST_WAIT)
  throw new CountersignError('invalid_value', `wait: ${wait.problem}`)
}

const ORDERS: readonly Order[] = ['risk', 'deadline', 'newest', 'oldest']

function readSearch(c: Context) {
  const status = readWords(c, 'status', STATUSES)
  const execution = readWords(c, 'execution', [...EXECUTION_STATES, 'none'] as const)
  const order = c.req.query('order') ?? 'risk'
  const known = ORDERS.find((one) => one === order)
  if (known === undefined) {
    throw new CountersignError('invalid_value', `order is none of ${ORDERS.join(', ')}`)
  }
  const limit = Number(c.req.query('limit') ?? 100)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new CountersignError('invalid_value', 'limit is no whole number from 1 to 500')
  }
  const equal = ['tool', 'server', 'run', 'agent'].flatMap((name) => {
    const value = c.req.query(name)
    return value === undefined ? [] : [[name, value]]
  })
  const after = c.req.query('after')
  const filter: Filter = {
    ...Object.fromEntries(equal),
    ...(status ? { status } : {}),
    ...(execution ? { execution } : {}),
  }
  const page = { order: known, limit, ...(after === undefined ? {} : { after }) }
  return { filter, page, q: (c.req.query('q') ?? '').trim() }
}

function readWords<T extends string>(
  c: Context,
  name: string,
  words: readonly T[],
): readonly T[] | undefined {
  const text = c.req.query(name)
  if (text === undefined || text === 'all') return undefined
  return text.split(',').map((word) => {
    const known = words.find((one) => one === word)
    if (known !== undefined) return known
    throw new CountersignError('invalid_value', `${name} is none of ${words.join(', ')}`)
  })
}

type Entry = Awaited<ReturnType<Services['store']['events']>>[number]

function wireEvent({ event, writer, seq, hash }: Entry): WireEvent[] {
  if (!isApprovalEvent(event)) return []
  const { type, at, by, status, code, assurance, facts } = event
  const actor =
    'person' in by
      ? `${by.person.issuer}/${by.person.subject}`
      : 'agent' in by
        ? by.agent
        : by.system
  return [
    {
      type,
      at,
      by: actor,
      ...(Array.isArray(facts?.for) ? { for: facts.for as readonly string[] } : {}),
      status,
      ...(code === undefined ? {} : { code }),
      ...(assurance === undefined ? {} : { assurance }),
      writer,
      seq,
      hash,
    },
  ]
}
