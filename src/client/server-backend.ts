import type { AgentApproval, AskBody, CallAnswer, LookAnswer } from '../api/agent.ts'
import { ERRORS, type ErrorCode, isCountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import type { Backend, Claim, JudgedCall, Question, Refused } from '../gate/backend.ts'
import { hiddenTexts } from '../gate/content/arguments.ts'
import { digestDefinition } from '../gate/content/binding.ts'
import {
  type Blocked,
  blocked,
  type Edited,
  type Outcome,
  pending,
  refusedBy,
} from '../gate/outcome.ts'
import { type MakePreview, previewMaker } from '../gate/preview/make-preview.ts'
import type { ToolDefinition } from '../gate/tool.ts'
import { shownArguments } from '../policy/evaluate/declared.ts'
import type { Policy } from '../policy/policy.ts'
import { readCallAnswer, readQuestions } from './answers.ts'
import { isAway } from './away.ts'
import type { Connection } from './connection.ts'
import { countersigning } from './countersigning.ts'
import { spend, tell } from './spend.ts'
import { untilOver } from './wait.ts'

/** A call that the server is asked about, and everything that goes with it. */
export interface ServerCall extends JudgedCall {
  /** What code, and the mode of the gate, demand. It counts where it is stricter. */
  readonly declared?: readonly object[] | undefined
  /** A function in code decided. A moment ago it may have disagreed. */
  readonly byFunction?: boolean | undefined
  /** Its key is the caller's own: the call may have been made before. */
  readonly isNamed?: boolean | undefined
  /** Its key is the caller's own, and other rules asked about its tool: there may be an answer. */
  readonly wasAsked?: boolean | undefined
  /** The rules are recorded and not enforced. */
  readonly observe?: boolean | undefined
}

/** A question on the server. */
export interface ServerQuestion extends Question {
  /** Of the call as it was asked: what the claim presents. */
  readonly digest: string
  readonly read: Pick<ServerCall, 'call' | 'definition' | 'declared'>
  /** Digest of what people saw of the tool, where it was asked about elsewhere. */
  readonly shown?: string | undefined
  /** What the server said of it last. */
  readonly told?: AgentApproval | undefined
}

/** What goes with a call that is asked about. */
export type Besides = Pick<
  AskBody,
  'ask' | 'batch' | 'countersignature' | 'waits' | 'preview' | 'previews'
>

function declaredBy(declared: readonly object[] | undefined): { declared?: JsonObject | Json[] } {
  const [words, ...others] = (declared ?? []) as readonly JsonObject[]
  if (words === undefined) return {}
  return { declared: others.length > 0 ? [words, ...others] : words }
}

/**
 * What the server says of a call; `ask: false` only looks. Throws what it refuses. Under its key a
 * call is one question, so that it may be sent again where the answer was lost.
 */
export async function sendCall(
  connection: Connection,
  { call, definition, declared, observe }: Omit<ServerCall, 'isAllowed' | 'bytes'>,
  besides: Besides = {},
  signal?: AbortSignal,
): Promise<LookAnswer> {
  const body = {
    ...call,
    ...(definition ? { definition } : {}),
    ...declaredBy(declared),
    ...(observe ? { observe } : {}),
    ...besides,
  }
  const send = () => connection.call('POST /v1/calls', { body })
  const mayRepeat = call.key !== undefined || besides.ask === false
  return readCallAnswer(await (mayRepeat ? connection.repeat(send, signal) : send()))
}

/** Asks with a preview where one is made: only for a call that needs a new question, and once. */
export async function sendAsked(
  connection: Connection,
  call: Parameters<typeof sendCall>[1],
  besides: Besides,
  { make, signal }: { readonly make: MakePreview | undefined; readonly signal?: AbortSignal },
): Promise<CallAnswer | { readonly refused: Blocked }> {
  if (!make) return (await sendCall(connection, call, besides, signal)) as CallAnswer
  const first = await sendCall(connection, call, { ...besides, previews: true }, signal)
  if (first.status !== 'unasked') return first
  const made = await make()
  if (signal?.aborted) return { refused: blocked('withdrawn', { tool: call.call.tool }) }
  const preview = 'preview' in made ? made.preview : made
  const shown = { ...besides, preview: preview as NonNullable<AskBody['preview']> }
  return (await sendCall(connection, call, shown, signal)) as CallAnswer
}

/** Approvals on a server. The server judges again whatever it is asked. */
export function serverBackend(
  connection: Connection,
  /** The last policy that the server confirmed, with what code declares: for what it hides. */
  policy: () => Policy | undefined,
): Backend<ServerCall, ServerQuestion> {
  function toldOf(told: AgentApproval, question: ServerQuestion): ServerQuestion {
    const { status, execution, questions = [] } = told
    return { ...question, status, execution, isAskedBack: questions.length > 0, told }
  }

  async function look(question: ServerQuestion): Promise<ServerQuestion> {
    const { id } = question
    const told = await connection.repeat(() =>
      connection.call('GET /v1/approvals/:id', { params: { id } }),
    )
    return toldOf(told, question)
  }

  return {
    async find(judged: ServerCall | (Refused & { readonly read?: ServerCall })) {
      if ('refused' in judged) return judged.read && ranBefore(connection, judged.read)
      // The policy and the locks that the server confirmed allow it: it is not asked.
      const isPossible = judged.byFunction || judged.wasAsked
      return isPossible ? askedBefore(connection, judged) : undefined
    },
    async ask(judged, { tool, options }) {
      const { batch, countersignature, wait, signal } = options
      const besides = {
        ...(batch === undefined ? {} : { batch }),
        ...(countersignature === undefined ? {} : { countersignature }),
        ...(wait === false ? {} : { waits: true }),
      }
      try {
        const make = previewMaker(tool, { tool: tool.name, bytes: judged.bytes }, signal)
        const previewing = { make, ...(signal ? { signal } : {}) }
        const answer = await sendAsked(connection, judged, besides, previewing)
        if ('refused' in answer) return answer
        if (answer.status === 'allowed') return { allowed: answer.args as JsonObject }
        if (answer.status === 'blocked') return { refused: blockedWith(answer) }
        return { question: questionOf(answer, judged) }
      } catch (error) {
        return { refused: refusedBy(error, judged.call.tool) }
      }
    },
    look,
    async wait(question, isOver, { signal, until }) {
      if (isOver(question)) return { question }
      const told = await untilOver(connection, question.id, {
        signal,
        patience: until === undefined ? undefined : Math.max(until - performance.now(), 0),
        isOver: (now) => isOver(toldOf(now, question)),
        questions: isOver({ ...question, status: 'pending', isAskedBack: true }),
      })
      const now = toldOf(told, question)
      if (isOver(now)) return { question: now }
      return { question: now, stopped: signal?.aborted ? 'aborted' : 'lapsed' }
    },
    async claim(question, definition) {
      const { id, digest, read } = question
      const shown = await presented(question, definition)
      const body = { digest, ...shown, ...declaredBy(read.declared) }
      const { claimed, sent } = await spend(connection, () =>
        connection.call('POST /v1/approvals/:id/claim', { params: { id }, body }),
      )
      const args = claimed.args as JsonObject
      return {
        question: { ...question, execution: 'running' },
        name: claimed.claim,
        args,
        payload: claimed.decision as Json | undefined,
        edited: claimed.edited as Edited | undefined,
        countersign: claimed.countersigns
          ? countersigning(connection, { id, claim: claimed.claim, call: { ...read.call, args } })
          : undefined,
        drop: false,
        secrets: () => secretsOf(policy(), read, args),
        mayStart: (at) => at === 'any time' || performance.now() - sent < claimed.startWithin,
        lease: claimed.lease,
      }
    },
    renew: ({ question: { id }, name: claim, lease }) =>
      connection.call('POST /v1/approvals/:id/renew', { params: { id }, body: { claim, lease } }),
    async finish({ question, name }: Claim<ServerQuestion>, ended) {
      const { outcome } = ended
      // Of an unknown outcome nothing is told: the lease runs out, and then the server knows as much.
      if (outcome === 'unknown') return { question, isWritten: true }
      const kept =
        outcome === 'succeeded' && ended.drop ? { drop: true } : { result: ended.result as Json }
      const { id } = question
      const isWritten = await tell(
        connection,
        (body) => connection.call('POST /v1/approvals/:id/result', { params: { id }, body }),
        { claim: name, outcome, ...kept },
      )
      return { question, isWritten }
    },
    async withdraw(question) {
      try {
        const { id } = question
        const path = 'POST /v1/approvals/:id/withdraw'
        return toldOf(await connection.call(path, { params: { id } }), question)
      } catch (error) {
        // Without a claim nothing runs, so a question that stays behind does no harm.
        if (!isCountersignError(error) || isAway(error)) return undefined
        return look(question)
      }
    },
    async outcomeOf(question) {
      const now = question.told ? question : await look(question)
      return now.told ? outcomeOf(now, now.told) : pending(now)
    },
  }
}

/** A call that is refused now may have run before: then what became of it is the answer. */
async function ranBefore(
  connection: Connection,
  read: ServerCall,
): Promise<ServerQuestion | undefined> {
  const answer = await sendCall(connection, read, { ask: false }).catch(() => undefined)
  return answer?.status === 'approved' && answer.execution ? questionOf(answer, read) : undefined
}

/** A call that is allowed now may have been asked about before: what people decide stands. */
async function askedBefore(
  connection: Connection,
  judged: ServerCall,
): Promise<ServerQuestion | Blocked | undefined> {
  try {
    const answer = await sendCall(connection, judged, { ask: false })
    if (answer.status === 'pending' || answer.status === 'approved') {
      return questionOf(answer, judged)
    }
    return answer.status === 'blocked' && answer.id !== undefined ? blockedWith(answer) : undefined
  } catch (error) {
    return refusedBy(error, judged.call.tool)
  }
}

function questionOf(
  answer: Extract<CallAnswer, { readonly status: 'pending' | 'approved' }>,
  { call, definition, declared }: Pick<ServerCall, 'call' | 'definition' | 'declared'>,
): ServerQuestion {
  const { id, digest, status, execution } = answer
  const isAskedBack = readQuestions(answer).length > 0
  return {
    id,
    digest,
    status,
    execution,
    isAskedBack,
    tool: call.tool,
    read: { call, definition, declared },
  }
}

/** What the server said of a call that does not run, as an outcome. Its sentence stays its own. */
export function blockedWith(told: {
  readonly code: string
  readonly modelMessage: string
  readonly id?: string
  readonly answer?: string
  readonly reason?: string
}): Blocked {
  const { code, modelMessage, id, answer, reason } = told
  return {
    status: 'blocked',
    ran: false,
    // A newer server may know codes that we do not.
    code: Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'not_permitted',
    modelMessage,
    ...(id === undefined ? {} : { approvalId: id }),
    ...(answer === undefined ? {} : { answer }),
    ...(reason === undefined || code !== 'denied' ? {} : { reason }),
  }
}

/** A tool that says nothing now although it did then is another one, and is presented as such. */
async function presented(
  { shown }: ServerQuestion,
  definition: ToolDefinition | undefined,
): Promise<{ readonly definition?: ToolDefinition }> {
  if (definition) return { definition }
  const isSame = shown === undefined || shown === (await digestDefinition(undefined))
  return isSame ? {} : { definition: {} }
}

function outcomeOf(question: ServerQuestion, told: AgentApproval): Outcome {
  const { id, status, execution, code, modelMessage, result, noResult, edited, denial } = told
  const payload = told.payload === undefined ? {} : { payload: told.payload as Json }
  const words = { modelMessage, id, ...(told.answer === undefined ? {} : { answer: told.answer }) }
  const approvalId = id
  switch (execution) {
    case undefined:
      return status === 'pending' || status === 'approved'
        ? pending(question, readQuestions(told))
        : blockedWith({ ...words, code: status, ...(denial ? { reason: denial } : {}) })
    case 'succeeded':
      return {
        status: 'succeeded',
        ran: true,
        result,
        approvalId,
        ...payload,
        ...(edited ? { edited: edited as Edited } : {}),
        replayed: true,
        ...(noResult === undefined ? {} : { noResult }),
        ...(modelMessage === '' ? {} : { modelMessage }),
      }
    case 'failed':
      if (code === 'not_started') return { ...blocked(code, { tool: question.tool }), approvalId }
      return {
        status: 'failed',
        ran: true,
        error: result,
        modelMessage,
        approvalId,
        ...payload,
        replayed: true,
      }
    default: {
      const why = execution === 'unknown' ? 'outcome_unknown' : 'already_claimed'
      return { status: 'unknown', ran: 'unknown', code: why, modelMessage, approvalId }
    }
  }
}

/** Texts of this call that its rules hide. Tools quote their arguments when they fail. */
function secretsOf(
  policy: Policy | undefined,
  { call, definition }: Pick<ServerCall, 'call' | 'definition'>,
  args: JsonObject,
): readonly string[] {
  if (!policy) return []
  const schema = definition?.inputSchema
  return hiddenTexts(args, shownArguments(policy, { ...call, args }, { schema }).masked)
}
