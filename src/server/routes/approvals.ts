import type { WireEvent } from '../../api/approval.ts'
import type { QueryOf } from '../../api/contract.ts'
import type { ContractOf } from '../../api/contracts.ts'
import { openQuestions } from '../../approval/talk.ts'
import { parseDuration } from '../../base/duration.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { isApprovalEvent } from '../../store/audit/chain.ts'
import type { Page } from '../../store/store.ts'
import { personOf, type Route, route } from '../http/route.ts'
import {
  approvalCard,
  approvalPage,
  knownApproval,
  ownPage,
  type Search,
} from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { agentApproval, agentRow } from '../view/agent-view.ts'
import { filterOf } from './history.ts'

const LONGEST_WAIT = 60_000

/** Looking at approvals. Nothing here changes anything. */
export function approvalRoutes(services: Services): Route[] {
  const { store } = services
  return [
    route('GET /v1/approvals', async ({ caller, query, reply }) => {
      const search = searchOf(query)
      if (caller.kind !== 'agent') {
        return reply(200, await approvalPage(services, search, personOf(caller).person))
      }
      const { approvals, next } = await ownPage(store, search, caller.token)
      const own = approvals.map(agentRow)
      return reply(200, { approvals: own, ...(next === undefined ? {} : { next }) })
    }),
    route('GET /v1/approvals/:id', async ({ c, caller, params, query, reply }) => {
      const known = await knownApproval(store, params.id, caller)
      const isOver = query.questions ? isNews : isDecided
      const wait = waitOf(query.wait)
      const approval = await waited(services, known, { wait, isOver, gone: c.req.raw.signal })
      if (caller.kind === 'agent') await services.credentials.tokens.assertThere(caller.token)
      return caller.kind === 'agent'
        ? reply(200, await agentApproval(store, approval))
        : reply(200, await approvalCard(services, approval, personOf(caller).person))
    }),
    route('GET /v1/approvals/:id/events', async ({ caller, params, reply }) => {
      const { id } = await knownApproval(store, params.id, caller)
      const entries = await store.events(id)
      return reply(200, { events: entries.flatMap(wireEvent) })
    }),
  ]
}

type Approval = Page['approvals'][number]

const isDecided = ({ status }: Approval) => status !== 'pending'
const isNews = (approval: Approval) => isDecided(approval) || openQuestions(approval).length > 0

interface Waiting {
  readonly wait: number
  readonly isOver: (approval: Approval) => boolean
  readonly gone: AbortSignal
}

/** The approval once it is as wanted, or as it is when the time is up. */
async function waited(
  { store, stopping }: Services,
  approval: Approval,
  { wait, isOver, gone }: Waiting,
): Promise<Approval> {
  if (wait === 0 || isOver(approval)) return approval
  const signal = AbortSignal.any([AbortSignal.timeout(wait), gone, stopping])
  let latest = approval
  try {
    while (!isOver(latest)) {
      latest = await store.waitFor(latest.id, latest.revision, signal)
    }
  } catch (error) {
    // Only the wait is over; everything else is an error.
    if (!signal.aborted || isCountersignError(error)) throw error
  }
  return latest
}

function waitOf(text: string | undefined): number {
  if (text === undefined) return 0
  const wait = parseDuration(text)
  if (wait.ok) return Math.min(wait.value, LONGEST_WAIT)
  throw new CountersignError('invalid_value', `wait: ${wait.problem}`)
}

type Asked = QueryOf<ContractOf<'GET /v1/approvals'>>

function searchOf({ limit = 100, after, order = 'risk', ...asked }: Asked): Search {
  const page = { order, limit, ...(after === undefined ? {} : { after }) }
  return { filter: filterOf(asked), page }
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
