import type { Approval } from '../../approval/approval.ts'
import type { Person } from '../../approval/people/person.ts'
import { asRead } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { digestDefinition } from '../../gate/content/binding.ts'
import type { Gate } from '../../gate/gate.ts'
import type { Outcome } from '../../gate/outcome.ts'
import { PROOF_KEY } from '../../gate/proof/mcp-keys.ts'
import { sentence } from '../../gate/sentences.ts'
import { NotStarted, type ToolContext, type ToolDefinition } from '../../gate/tool.ts'
import { passedOn } from '../protocol/envelope.ts'
import { NoAnswer, textIn } from '../protocol/message.ts'
import { paramHeaders } from '../protocol/param-headers.ts'
import type { RequestOptions } from '../protocol/peer.ts'
import type { ListedTool } from '../upstream/catalog.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { cardOf, resultOf, textResult } from './call-result.ts'
import { type Client, wayToAsk } from './client.ts'
import { elicit } from './elicit.ts'

export interface ToolCalls {
  readonly gate: Gate
  /** Whose connection this is, where that is known. */
  readonly person: Person | undefined
  /** Where people decide about this approval; undefined where there is no such place. */
  inbox(approval: Approval | undefined): Promise<string | undefined>
  /** How long a client is kept waiting before it hears that the call is pending. */
  hold(client: Client): number
  /** The client gave up after so many milliseconds. */
  gaveUp(client: Client, after: number): void
  /** Told while a question about this tool is open; what it gives back ends that. */
  watch(approval: Approval, tool: ListedTool): () => void
  /** What the server of this tool says of it now, and on which connection it said so. */
  confirm(tool: ListedTool): Promise<Confirmed>
  /** What a server with a gate of its own says about that gate. */
  gateOf(server: string): JsonObject | undefined
  /** Written down with the approval: how its caller waits. */
  waits(approval: Approval, how: Rung, client: Client): void
  /** A call is about to be sent to its server. */
  readonly used?: (server: string, tool: string) => void
  request(
    server: string,
    method: string,
    params: JsonObject,
    options: RequestOptions & {
      /** Nothing is sent on another one: what is behind that has not said what its tools do. */
      readonly on?: Pick<Confirmed, 'connection'> | undefined
    },
    client: Client,
  ): Promise<JsonObject>
  log(line: string): void
}

export interface Confirmed {
  readonly definition: ToolDefinition | undefined
  /** Undefined where nothing could be confirmed. */
  readonly connection: Upstream | undefined
}

/** The ways to wait for a person, best first. */
export type Rung = 'url' | 'elicitation' | 'hold' | 'none'

// A server that says nothing for longer has hung.
export const CALL_MS = 900_000
const PROGRESS_EVERY = 10_000

/** Why a call is no longer waited for here, while its question stays: it is followed as a task. */
export const LEFT_OPEN = 'left open'

const CHANGED = 'what the tool says of itself is not what was approved'
const NO_WAY =
  'The client cannot show questions and no inbox is running, so no person can be asked.'
const NO_ROOM =
  'The call is too long to be shown whole in the client and no inbox is running, so no person can be asked.'

/** One `tools/call`: judged, asked about, and sent on only then. */
export async function callTool(
  calls: ToolCalls,
  tool: ListedTool,
  params: { readonly args: JsonObject; readonly meta: JsonObject | undefined },
  client: Client,
  cancelled: AbortSignal,
): Promise<JsonObject> {
  const { log } = calls
  if (tool.held !== undefined) {
    log(`${tool.server}.${tool.tool} ${tool.risk} held back: ${tool.held}`)
    const text = sentence('quarantined', { tool: tool.tool, reason: tool.held })
    return textResult(text, true, { 'countersign/code': 'quarantined' })
  }
  const { outcome, hopeless } = await runCall(calls, tool, params, client, cancelled)
  if (hopeless !== undefined) {
    const text = sentence('refused', { tool: tool.tool, reason: hopeless })
    return textResult(text, true, { 'countersign/code': 'no_eligible_approver' })
  }
  const inbox = outcome.status === 'pending' ? await calls.inbox(outcome.approval) : undefined
  return resultOf(outcome, tool, inbox)
}

/** What became of a call, and why no person could be asked where that is so. */
export interface Ran {
  readonly outcome: Outcome<JsonObject>
  readonly hopeless: string | undefined
}

/** Judged, asked about, and sent on only then. */
export async function runCall(
  calls: ToolCalls,
  tool: ListedTool,
  params: { readonly args: JsonObject; readonly meta: JsonObject | undefined },
  client: Client,
  cancelled: AbortSignal,
): Promise<Ran> {
  const { gate, log } = calls
  const { definition, looks, claims } = tool
  const started = performance.now()
  const waiting = createWait(calls, tool, client, cancelled, params.meta)
  let on: Confirmed | undefined
  // A server need not say that it changed, and one that was started anew is perhaps another.
  const definitionNow = async () => {
    on = await calls.confirm(tool)
    return on.definition
  }
  const run = async (args: JsonObject, context: ToolContext) => {
    waiting.end()
    waiting.settled()
    // A grant, or a yes that another gate vouches for, was given to what the tool said then.
    const isVouchedFor = context.approval !== undefined || params.meta?.[PROOF_KEY] !== undefined
    if (isVouchedFor && !on) {
      const [now, then] = [await definitionNow(), definition].map(digestDefinition)
      if ((await now) !== (await then)) throw new NotStarted(CHANGED)
    }
    return sendOn(calls, tool, { args, meta: params.meta, context, on }, client)
  }
  const call = {
    tool: tool.tool,
    server: tool.server,
    args: params.args,
    ...(claims ? { risk: claims } : {}),
  }
  let outcome: Outcome<JsonObject>
  try {
    outcome = await gate.run(
      tool.isRead ? asRead(call) : call,
      { name: tool.tool, definition, definitionNow, ...(looks ? { looks } : {}), run },
      {
        join: 'digest',
        // The model has a tool to answer with.
        returnQuestions: true,
        signal: waiting.stop,
        detach: waiting.leave,
        onPending: waiting.begin,
        countersignature: textIn(params.meta, PROOF_KEY),
      },
    )
  } finally {
    waiting.end()
  }
  logCall(log, tool, outcome, started)
  if (outcome.status !== 'pending') waiting.settled()
  const isWithdrawn = outcome.status === 'blocked' && outcome.code === 'withdrawn'
  return { outcome, hopeless: isWithdrawn ? waiting.hopeless : undefined }
}

export function logCall(
  log: ToolCalls['log'],
  { server, tool, risk }: ListedTool,
  outcome: Outcome,
  started: number,
): void {
  const { approval } = outcome
  const ending = 'code' in outcome ? outcome.code : outcome.status
  const by = approval ? ` (${approval.id})` : ''
  const ms = Math.round(performance.now() - started)
  // In a turn of its own: the answer is on its way by then, and a terminal may be slow.
  setImmediate(() => log(`${server}.${tool} ${risk} ${ending}${by} ${ms} ms`))
}

export interface Passed {
  readonly args: JsonObject
  readonly meta: JsonObject | undefined
  readonly context: ToolContext
  readonly on: Confirmed | undefined
}

/** The call as it was approved, written anew: nothing else of what the client sent goes on. */
export async function sendOn(
  calls: ToolCalls,
  { server, tool, headers }: ListedTool,
  { args, meta, context, on }: Passed,
  client: Client,
): Promise<JsonObject> {
  const token = meta?.progressToken
  const proof = await proofFor(calls.gateOf(server), context)
  const kept = { ...passedOn(meta), ...proof }
  calls.used?.(server, tool)
  const sent = calls.request(
    server,
    'tools/call',
    { name: tool, arguments: args, ...(Object.keys(kept).length > 0 ? { _meta: kept } : {}) },
    {
      signal: context.signal,
      timeout: CALL_MS,
      on,
      // From what is sent: an approver may have changed it.
      headers: headers.length === 0 ? {} : paramHeaders(headers, args),
      ...(token === undefined
        ? {}
        : {
            onProgress: (told) =>
              client.notify('notifications/progress', { ...told, progressToken: token }),
          }),
    },
    client,
  )
  return sent.catch((error: unknown) => Promise.reject(unanswered(error)))
}

/** A server that went away with a call may have run it. The answer must not say that it did not. */
export function unanswered(error: unknown): unknown {
  if (!(error instanceof NoAnswer)) return error
  return error.wasSent
    ? new CountersignError('outcome_unknown', error.message)
    : new NotStarted(error.message)
}

/**
 * Proof for a server with a gate of its own, so that people are asked once. It names the server as
 * it is known here: its holder can use it for this call to this server and for nothing else.
 */
async function proofFor(
  gate: JsonObject | undefined,
  { countersign }: ToolContext,
): Promise<JsonObject> {
  if (!gate || !countersign) return {}
  const audience = textIn(gate, 'audience')
  return { [PROOF_KEY]: await countersign(audience === undefined ? {} : { audience }) }
}

/** The wait ladder for one call: what happens between the question and its answer. */
function createWait(
  calls: ToolCalls,
  tool: ListedTool,
  client: Client,
  cancelled: AbortSignal,
  meta: JsonObject | undefined,
) {
  const stop = new AbortController()
  const leave = new AbortController()
  // Made when there is something to wait for: most calls are simply allowed.
  let over: AbortController | undefined
  const timers: ReturnType<typeof setTimeout>[] = []
  let waitingSince: number | undefined
  let hopeless: string | undefined
  /** Under which the client sent its user to the card. */
  let elicitationId: string | undefined
  let unwatch = () => {}

  const onCancel = () => {
    // A client that ran out of time may call again and finds its question; a user who cancelled
    // wants it gone.
    const timedOut =
      waitingSince !== undefined && /tim(?:ed?[ -]?out|eout)/i.test(String(cancelled.reason))
    if (timedOut) calls.gaveUp(client, performance.now() - (waitingSince ?? 0))
    if (timedOut || cancelled.reason === LEFT_OPEN) leave.abort()
    else stop.abort()
  }
  if (cancelled.aborted) onCancel()
  cancelled.addEventListener('abort', onCancel, { once: true })

  async function ask(approval: Approval, isOver: AbortSignal): Promise<void> {
    const { gate, person } = calls
    const inbox = await calls.inbox(approval)
    const card = inbox === undefined ? undefined : cardOf(inbox, approval.id)
    const asking = { gate, approval, client, person, card }
    const way = wayToAsk(asking)
    let why = NO_WAY
    if (way !== undefined) {
      calls.waits(approval, way === 'url' ? 'url' : 'elicitation', client)
      try {
        const said = await elicit(asking, isOver, (id) => {
          elicitationId = id
        })
        if (said === 'decided' || said === 'opened') return
        if (said === 'too_long') why = NO_ROOM
        // Not a lasting no, but the call does not run now: a repeated call finds the question.
        if (said === 'dismissed') {
          if (inbox === undefined) return stop.abort()
          // A task goes on waiting for the inbox.
          if (!client.isTask?.()) return leave.abort()
        }
      } catch (error) {
        if (isOver.aborted) return
        calls.log(`asking in the client failed: ${error instanceof Error ? error.message : ''}`)
      }
    }
    if (isOver.aborted) return
    if (inbox !== undefined) return calls.waits(approval, 'hold', client)
    hopeless = why
    calls.waits(approval, 'none', client)
    stop.abort()
  }

  function progress(): void {
    const progressToken = meta?.progressToken
    if (progressToken === undefined) return
    let count = 0
    const tell = () => {
      const message = 'Waiting for a person to approve this call'
      client.notify('notifications/progress', { progressToken, progress: count++ / 1_000, message })
    }
    tell()
    timers.push(setInterval(tell, PROGRESS_EVERY))
  }

  return {
    stop: stop.signal,
    leave: leave.signal,
    get hopeless() {
      return hopeless
    },
    begin(approval: Approval) {
      waitingSince = performance.now()
      over = new AbortController()
      unwatch = calls.watch(approval, tool)
      timers.push(setTimeout(() => leave.abort(), calls.hold(client)))
      progress()
      client.onPending?.(approval)
      void ask(approval, over.signal).catch((error: unknown) => {
        calls.log(`asking failed: ${error instanceof Error ? error.message : ''}`)
        stop.abort()
      })
    },
    /** There is an answer: the user need not look at the card any longer. */
    settled() {
      // In the newer era nothing says so; the client learns it with its next request.
      if (elicitationId === undefined || client.era === 'modern') return
      client.notify('notifications/elicitation/complete', { elicitationId })
      elicitationId = undefined
    },
    /** There is an answer, or the caller no longer waits. */
    end() {
      waitingSince = undefined
      unwatch()
      for (const timer of timers) clearTimeout(timer)
      over?.abort()
    },
  }
}
