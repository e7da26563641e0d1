/**
 * Stands in for the server while the page is developed and tested: the same addresses and answers,
 * from made-up calls in memory. It decides nothing and checks little.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import type {
  ApprovalCard,
  ApprovalRow,
  DecisionBody,
  Me,
  WireEvent,
} from '../../src/api/approval.ts'
import type { WirePerson } from '../../src/api/common.ts'
import type { ServerList } from '../../src/api/servers.ts'
import { sampleAudit, sampleChain } from './audit.ts'
import { ANA, callOf, pastCalls, sampleCalls, sha } from './calls.ts'
import { sampleGrants } from './grants.ts'
import { sampleLocks } from './locks.ts'
import { samplePeople, sampleStandIns, sampleTokens } from './people.ts'
import { EXPLAINED, STATUS } from './policy.ts'
import { onlyHeld, sampleServers, sampleSwitches } from './servers.ts'

const TOKEN = 'sample-token'

export const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface FakeServer {
  readonly url: string
  readonly token: string
  /** Every decision that was sent, in order. */
  readonly sent: { id: string; body: DecisionBody }[]
  readonly calls: Map<string, ApprovalCard>
  /** Changes a call and tells the page, as if another person did it. */
  readonly change: (id: string, change: Partial<ApprovalCard>) => void
  readonly add: (call: Parameters<typeof callOf>[0]) => void
  /** Refuses the next decision with this code. */
  refuse: { status: number; code: string } | undefined
  /** Answers nothing at all any more, until it is set to false. */
  silent: boolean
  readonly stop: () => Promise<void>
}

export interface FakeOptions {
  readonly page: string
  readonly port?: number
  readonly calls?: readonly ApprovalCard[]
  readonly signedIn?: boolean
  readonly demo?: boolean
  readonly observing?: true
  readonly servers?: ServerList
  /** Signed in as a viewer: may look and nothing else. */
  readonly viewer?: true
  readonly brokenChain?: true
}

export async function startFakeServer(options: FakeOptions): Promise<FakeServer> {
  const now = Date.now()
  const calls = new Map(
    (options.calls ?? [...sampleCalls(now), ...pastCalls(now)]).map((call) => [call.id, call]),
  )
  const streams = new Set<ServerResponse>()
  const sessions = new Set<string>()
  const sent: FakeServer['sent'] = []
  let used = false

  const tell = ({ id, revision, status }: ApprovalRow) => {
    for (const stream of streams)
      stream.write(`data: ${JSON.stringify({ id, revision, status })}\n\n`)
  }
  const change: FakeServer['change'] = (id, next) => {
    const call = calls.get(id)
    if (call === undefined) throw new Error(`there is no ${id}`)
    const changed = { ...call, ...next, revision: call.revision + 1 }
    calls.set(id, changed)
    tell(changed)
  }
  const add: FakeServer['add'] = (given) => {
    const call = callOf(given, Date.now())
    calls.set(call.id, call)
    tell(call)
  }

  const decide = (id: string, body: DecisionBody, by: WirePerson): void => {
    const call = calls.get(id)
    if (call === undefined) return
    sent.push({ id, body })
    const edited: Partial<ApprovalCard> =
      body.edit === undefined ? {} : editOf(call, body.edit.arguments)
    const digest = edited.digest ?? call.digest
    const earlier =
      body.edit === undefined
        ? call.decisions
        : call.decisions.map((one) => ({ ...one, void: true as const }))
    const decision = {
      by,
      verdict: body.verdict,
      at: Date.now(),
      digest,
      assurance: 'signed-in' as const,
      ...(body.reason === undefined ? {} : { reason: body.reason }),
      ...(body.answer === undefined ? {} : { answer: body.answer }),
    }
    const have = body.edit === undefined ? call.met.have + 1 : 1
    const done = body.verdict === 'deny' || have >= call.met.need
    change(id, {
      ...edited,
      decisions: [...earlier, decision],
      ...(by === ANA ? { mine: { may: false, why: 'You have already answered.' } } : {}),
      met: body.verdict === 'deny' ? call.met : { ...call.met, have },
      can: done ? (body.verdict === 'approve' ? ['deny'] : []) : ['deny'],
      ...(done
        ? {
            status:
              call.status === 'approved'
                ? 'invalidated'
                : body.verdict === 'deny'
                  ? 'denied'
                  : 'approved',
            ...(call.status === 'approved' ? { reason: 'revoked' } : {}),
            decidedAt: Date.now(),
            useBy: Date.now() + call.terms.useBy,
          }
        : {}),
    })
  }

  const server: FakeServer = {
    url: '',
    token: TOKEN,
    sent,
    calls,
    change,
    add,
    refuse: undefined,
    silent: false,
    stop: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }

  const http = createServer(async (request, response) => {
    response.on('error', () => {})
    if (server.silent) {
      request.socket.destroy()
      return
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const cookie = /cs=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
    const isIn = options.signedIn === true || sessions.has(cookie)
    const json = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        ...headers,
      })
      response.end(JSON.stringify(body))
    }
    const refuse = (status: number, code: string, message: string) =>
      json(status, { error: { code, message, hint: 'Look again.' } })

    if (request.method === 'GET' && !pathname.startsWith('/v1/') && pathname !== '/status.json') {
      sendPage(response, options.page, pathname)
      return
    }
    if (pathname === '/v1/session' && request.method === 'POST') {
      const { token } = JSON.parse(await bodyOf(request)) as { token: string }
      if (token !== TOKEN || used)
        return refuse(401, 'token_unknown', 'This link was used already.')
      used = true
      sessions.add('session-1')
      return json(
        200,
        { csrf: 'csrf-1' },
        { 'set-cookie': 'cs=session-1; HttpOnly; SameSite=Strict; Path=/' },
      )
    }
    if (pathname === '/v1/sign-in') return json(200, { link: true })
    if (!isIn) return refuse(401, 'signed_out', 'You are not signed in.')
    if (pathname === '/v1/session') {
      sessions.clear()
      return json(200, {})
    }
    if (pathname === '/v1/me')
      return json(200, {
        ...ME,
        ...(options.observing ? { observing: true } : {}),
        ...(options.viewer ? { roles: ['viewer'] } : {}),
      })
    if (pathname === '/status.json') return json(200, { ...STATUS, demo: options.demo ?? true })
    if (pathname === '/v1/policy/explain') return explain(await bodyOf(request), json, refuse)
    if (pathname === '/v1/demo') {
      for (const call of sampleCalls(Date.now()).slice(0, 3)) {
        calls.set(call.id, call)
        tell(call)
      }
      return json(202, {})
    }
    if (pathname === '/v1/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(': hello\n\n')
      streams.add(response)
      response.on('close', () => streams.delete(response))
      return
    }
    if (pathname === '/v1/policy/draft') return json(200, { active: 'a', changed: false })
    if (pathname === '/v1/locks') return json(200, sampleLocks(Date.now()))
    if (pathname.startsWith('/v1/servers')) {
      const list = options.servers ?? sampleServers(Date.now())
      return json(200, searchParams.has('held') ? onlyHeld(list) : list)
    }
    if (pathname === '/v1/switches') return json(200, sampleSwitches(Date.now()))
    if (pathname === '/v1/audit') return json(200, sampleAudit(Date.now()))
    if (pathname === '/v1/audit/chain')
      return json(200, sampleChain(Date.now(), options.brokenChain === true))
    if (pathname === '/v1/people' && request.method === 'GET')
      return json(200, samplePeople(Date.now(), options.viewer === true))
    if (pathname === '/v1/people/stand-ins') return json(200, sampleStandIns(Date.now()))
    if (pathname === '/v1/tokens' && request.method === 'GET')
      return json(200, sampleTokens(Date.now()))
    if (pathname === '/v1/grants') return json(200, sampleGrants(Date.now()))
    if (pathname === '/v1/approvals') return json(200, pageOf([...calls.values()], searchParams))
    const [, id = '', action] = /^\/v1\/approvals\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? []
    const call = calls.get(decodeURIComponent(id))
    if (call === undefined) return refuse(404, 'approval_not_found', 'There is no such approval.')
    if (request.method === 'GET') return json(200, action === 'events' ? eventsOf(call) : call)
    const body = JSON.parse((await bodyOf(request)) || '{}') as DecisionBody & {
      until: number
      outcome: 'succeeded' | 'failed'
    }
    if (server.refuse !== undefined) {
      const { status, code } = server.refuse
      server.refuse = undefined
      return refuse(status, code, 'It was refused.')
    }
    if (action === 'decisions') {
      if (body.digest !== call.digest)
        return refuse(409, 'call_changed', 'The call is another one now.')
      if (call.status !== 'pending' && call.status !== 'approved')
        return refuse(409, 'already_decided', 'Someone decided first.')
      decide(call.id, body, ANA)
    } else if (action === 'extend') change(call.id, { decideBy: body.until })
    else if (action === 'withdraw')
      change(call.id, { status: 'withdrawn', decidedAt: Date.now(), can: [] })
    else if (action === 'resolve') {
      change(call.id, {
        execution: body.outcome,
        can: [],
        outcome: {
          state: body.outcome,
          claimedAt: call.outcome?.claimedAt ?? Date.now(),
          endedAt: Date.now(),
          resolvedBy: ANA,
        },
      })
    }
    return json(200, calls.get(call.id))
  })
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve))
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  return Object.assign(server, { url: `http://127.0.0.1:${address.port}` })
}

const ME: Me = {
  person: ANA,
  roles: ['approver', 'admin'],
  assurance: 'signed-in',
  tenant: 'acme',
  version: '0.1.0',
}

function sendPage(response: ServerResponse, folder: string, pathname: string): void {
  const isPage =
    pathname === '/' ||
    /^\/(approvals|history|grants|locks|tools|policy|people|audit)(\/|$)/.test(pathname)
  const file = path.join(folder, isPage ? 'index.html' : path.normalize(pathname))
  if (!file.startsWith(folder) || !existsSync(file)) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, {
    'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
    'content-security-policy': CSP,
    'cache-control': pathname === '/' ? 'no-cache' : 'max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
  response.end(readFileSync(file))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

function editOf(call: ApprovalCard, args: unknown): Partial<ApprovalCard> & { digest: string } {
  const text = JSON.stringify(args)
  const before = JSON.parse(call.arguments) as Record<string, unknown>
  const after = args as Record<string, unknown>
  const edited = Object.keys(after).filter(
    (key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
  )
  return {
    arguments: text,
    askedArguments: call.askedArguments ?? call.arguments,
    digest: sha(text),
    edited: edited.map((key) => [key]),
  }
}

/** Another person's edit, ready for `change`. */
export function editedBy(call: ApprovalCard, by: WirePerson, args: unknown): Partial<ApprovalCard> {
  const edit = editOf(call, args)
  return {
    ...edit,
    decisions: [
      ...call.decisions.map((one) => ({ ...one, void: true as const })),
      { by, verdict: 'approve', at: Date.now(), digest: edit.digest, assurance: 'signed-in' },
    ],
    met: { have: 1, need: call.met.need },
  }
}

const SORT = {
  risk: (a: ApprovalCard, b: ApprovalCard) =>
    (b.risk ?? '').localeCompare(a.risk ?? '') || a.decideBy - b.decideBy,
  deadline: (a: ApprovalCard, b: ApprovalCard) => a.decideBy - b.decideBy,
  newest: (a: ApprovalCard, b: ApprovalCard) =>
    (b.decidedAt ?? b.askedAt) - (a.decidedAt ?? a.askedAt),
} as const

function pageOf(all: readonly ApprovalCard[], query: URLSearchParams) {
  const statuses = (query.get('status') ?? 'pending').split(',')
  const executions = query.get('execution')?.split(',')
  const order = query.get('order')
  const q = (query.get('q') ?? '').toLowerCase()
  const limit = Number(query.get('limit') ?? 50)
  const from = Number(query.get('after') ?? 0)
  const pending = all.filter(({ status }) => status === 'pending')
  const found = all
    .filter(({ status }) => statuses.includes(status))
    .filter(({ execution = 'none' }) => executions?.includes(execution) ?? true)
    .filter(({ tool, server, agent, message }) =>
      `${tool} ${server} ${agent} ${message}`.toLowerCase().includes(q),
    )
    .sort(SORT[order === 'deadline' || order === 'newest' ? order : 'risk'])
  return {
    approvals: found.slice(from, from + limit).map(rowOf),
    ...(found.length > from + limit ? { next: String(from + limit) } : {}),
    counts: {
      mine: pending.filter(({ mine }) => mine.may).length,
      others: pending.filter(({ mine }) => !mine.may).length,
    },
    now: Date.now(),
  }
}

function rowOf(card: ApprovalCard): ApprovalRow {
  const {
    terms,
    missing,
    arguments: _,
    masked,
    schema,
    why,
    requirements,
    decisions,
    claimed,
    can,
    ...row
  } = card
  return row
}

function eventsOf(call: ApprovalCard): WireEvent[] {
  const step = (
    type: string,
    at: number,
    by: string,
    more: Partial<WireEvent> = {},
  ): Omit<WireEvent, 'seq' | 'hash'> => ({
    type,
    at,
    by,
    status: call.status,
    writer: 'w1',
    ...more,
  })
  return [
    step('requested', call.askedAt, call.agent),
    ...call.decisions.map(({ by, at, verdict, assurance }) =>
      step('decided', at, `${by.issuer}/${by.subject}`, { code: verdict, assurance }),
    ),
    ...(call.status === 'pending'
      ? []
      : [
          step(
            call.status,
            call.decidedAt ?? call.askedAt,
            'gate',
            call.reason ? { code: call.reason } : {},
          ),
        ]),
    ...(call.outcome === undefined ? [] : [step('claimed', call.outcome.claimedAt, call.agent)]),
    ...(call.outcome?.state === 'unknown'
      ? [step('lost', call.outcome.claimedAt + 30_000, 'sweeper')]
      : []),
    ...(call.outcome?.endedAt === undefined
      ? []
      : [
          step(
            call.outcome.resolvedBy ? 'resolved' : 'finished',
            call.outcome.endedAt,
            call.outcome.resolvedBy ? `local/${call.outcome.resolvedBy.subject}` : call.agent,
            { code: call.outcome.state },
          ),
        ]),
  ].map((event, at) => ({ ...event, seq: 18391 + at, hash: sha(`${call.id} ${at}`) }))
}

function explain(
  text: string,
  json: (status: number, body: unknown) => void,
  refuse: (status: number, code: string, message: string) => void,
): void {
  try {
    JSON.parse(text)
    json(200, EXPLAINED)
  } catch {
    refuse(400, 'invalid_json', 'The call is not JSON.')
  }
}
