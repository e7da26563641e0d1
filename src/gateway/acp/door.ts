import type { Approval } from '../../approval/approval.ts'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Gate } from '../../gate/gate.ts'
import type { Outcome } from '../../gate/outcome.ts'
import { NotStarted, type ToolContext } from '../../gate/tool.ts'
import { cardOf } from '../downstream/call-result.ts'
import { mayAnswerHere } from '../downstream/client.ts'
import { questionText } from '../downstream/question.ts'
import {
  type Message,
  NoAnswer,
  objectIn,
  type Request,
  RPC,
  RpcError,
  textIn,
} from '../protocol/message.ts'
import {
  type Choice,
  choicesOf,
  chosenIn,
  claimedCall,
  isYes,
  known,
  selected,
} from './permission.ts'
import { createRelay, type Relay, type RelayOptions } from './relay.ts'

/*
 * `countersign acp`: a person decides about what an agent asks of its editor. What the agent does by
 * itself, without asking, passes no door and cannot be stopped here.
 */
export interface AcpDoor {
  /** Resolves when the editor or the agent is gone. */
  readonly over: Promise<void>
  close(): void
}

export interface AcpOptions extends Pick<RelayOptions, 'editor' | 'agent' | 'log'> {
  /** For the agent, the person at the editor, and the run. */
  readonly gate: Gate
  /** Who sits at the editor. */
  readonly person: Person
  /** What rules call the agent's tools: a server of this alias. */
  readonly alias: string
  inbox(): Promise<string | undefined>
}

/** What an agent asks for that changes nothing by itself, and needs no rule. */
const PASSED: ReadonlySet<string> = new Set([
  'fs/read_text_file',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/release',
  'terminal/kill',
  'elicitation/create',
])

/** What an agent tells its editor without waiting for an answer. */
const TOLD: ReadonlySet<string> = new Set([
  'session/update',
  'elicitation/complete',
  '$/cancel_request',
])

/** What the editor does for the agent, by the name that rules have for it. */
const GATED: ReadonlyMap<string, { readonly tool: string; readonly kind: string }> = new Map([
  ['fs/write_text_file', { tool: 'write_text_file', kind: 'edit' }],
  ['terminal/create', { tool: 'terminal_create', kind: 'execute' }],
])

// As in MCP clients: no person reads a question in less.
const SOONEST_ANSWER = 700
const MOST_CALLS = 1_000

interface Session {
  readonly stop: AbortController
}

export function openAcpDoor(options: AcpOptions): AcpDoor {
  const { gate, person, alias, log } = options
  const over = Promise.withResolvers<void>()
  /** What the agent said of its calls, newest last. */
  const claimed = new Map<string, JsonObject>()
  /** Calls that were allowed, until the agent says how they ended. */
  const running = new Map<string, PromiseWithResolvers<JsonObject>>()
  const sessions = new Map<string, Session>()
  const prompts = new Map<unknown, string>()

  const nameOf = (session: string, call: string) => JSON.stringify([session, call])

  function signalOf(session: string): AbortSignal {
    const found = sessions.get(session) ?? { stop: new AbortController() }
    sessions.set(session, found)
    return found.stop.signal
  }

  /** The turn is over or was cancelled: nothing of it is waited for any longer. */
  function endTurn(session: string): void {
    sessions.get(session)?.stop.abort('the turn ended')
    sessions.delete(session)
    for (const [name, { reject }] of running) {
      if (JSON.parse(name)[0] === session) {
        running.delete(name)
        reject(unsaid())
      }
    }
  }

  function onPassed(from: 'agent' | 'editor', message: Message): void {
    if (from === 'editor') {
      if (!('method' in message)) return
      const session = textIn(message.params, 'sessionId') ?? ''
      if (message.method === 'session/cancel') endTurn(session)
      if (message.method === 'session/prompt' && 'id' in message) prompts.set(message.id, session)
      return
    }
    if (!('method' in message)) {
      const session = prompts.get(message.id)
      if (prompts.delete(message.id) && session !== undefined) endTurn(session)
      return
    }
    if (message.method === 'session/update') noted(message.params ?? {})
  }

  function noted(params: JsonObject): void {
    const update = objectIn(params, 'update')
    const id = textIn(update, 'toolCallId')
    if (!update || id === undefined) return
    const name = nameOf(textIn(params, 'sessionId') ?? '', id)
    claimed.set(name, { ...claimed.get(name), ...known(update) })
    const [oldest] = claimed.keys()
    if (claimed.size > MOST_CALLS && oldest !== undefined) claimed.delete(oldest)
    const status = textIn(update, 'status')
    if (status === 'completed') running.get(name)?.resolve({ status })
    else if (status === 'failed') running.get(name)?.reject(new Error('the agent says it failed'))
    if (status === 'completed' || status === 'failed') running.delete(name)
  }

  function onAgentRequest(request: Request): Promise<JsonObject> | undefined {
    const { method, params = {} } = request
    if (method === 'session/request_permission') return permission(params)
    const gated = GATED.get(method)
    if (gated) return forward(method, gated, params)
    if (PASSED.has(method)) return undefined
    log(`${method} of the agent is not known and was refused`)
    return Promise.reject(new RpcError(RPC.methodNotFound, `${method} is not passed on here`))
  }

  /** The agent runs its tool itself; it gets the answer as soon as there is one. */
  function permission(params: JsonObject): Promise<JsonObject> {
    const session = textIn(params, 'sessionId') ?? ''
    const id = textIn(objectIn(params, 'toolCall'), 'toolCallId') ?? ''
    const name = nameOf(session, id)
    const { tool, args } = claimedCall(params, claimed.get(name))
    const choices = choicesOf(params)
    const [yes, no] = [choices.find(isYes), choices.find((one) => !isYes(one))]
    if (!yes) {
      log(`the agent takes no yes that counts once for ${tool}, so it was refused`)
      return Promise.resolve(selected(no))
    }
    const answered = Promise.withResolvers<JsonObject>()
    let picked = yes
    const run = async (_: JsonObject, { edited, approval }: ToolContext) => {
      if (edited) throw new NotStarted('the agent cannot be given other arguments')
      // Allowed by the rules alone: the agent asks all the same, and so does the editor.
      const choice = approval ? picked : await asEver(params, choices, signalOf(session))
      if (!choice || !isYes(choice)) {
        answered.resolve(selected(choice))
        throw new NotStarted('it was not allowed in the editor')
      }
      const ended = Promise.withResolvers<JsonObject>()
      running.get(name)?.reject(unsaid())
      running.set(name, ended)
      answered.resolve(selected(choice))
      return ended.promise
    }
    const ask = (approval: Approval) =>
      askHere(approval, { session, id, kind: tool, choices }, (choice) => {
        picked = choice
      })
    // Whatever comes of it: only `run` says yes, and what was said first counts.
    const refuse = () => answered.resolve(selected(no))
    void decide(session, { tool, args }, run, ask).then(refuse, refuse)
    return answered.promise
  }

  /** The editor does it, with the arguments that were approved. */
  async function forward(
    method: string,
    { tool, kind }: { readonly tool: string; readonly kind: string },
    params: JsonObject,
  ): Promise<JsonObject> {
    // All of it is judged and shown, `_meta` too: an editor may go by what stands there.
    const { sessionId = null, ...args } = params
    const session = textIn(params, 'sessionId') ?? ''
    const run = (approved: JsonObject) => relay.ask(method, { ...approved, sessionId })
    const id = `countersign-${crypto.randomUUID()}`
    const ask = (approval: Approval) =>
      askHere(approval, { session, id, kind, choices: OWN_CHOICES }, () => {})
    const outcome = await decide(session, { tool, args }, run, ask)
    if (outcome.status === 'succeeded') return outcome.result ?? {}
    if (outcome.status === 'failed' && outcome.error instanceof RpcError) throw outcome.error
    throw new RpcError(RPC.refused, outcome.modelMessage)
  }

  function decide(
    session: string,
    { tool, args }: { readonly tool: string; readonly args: JsonObject },
    run: (args: JsonObject, context: ToolContext) => Promise<JsonObject>,
    ask: (approval: Approval) => Promise<void>,
  ): Promise<Outcome<JsonObject>> {
    const signal = signalOf(session)
    const start = (given: JsonObject, context: ToolContext) =>
      run(given, context).catch((error: unknown) => {
        if (!(error instanceof NoAnswer)) throw error
        throw error.wasSent
          ? new CountersignError('outcome_unknown', error.message)
          : new NotStarted(error.message)
      })
    return gate.run(
      { server: alias, tool, args },
      { name: tool, run: start },
      {
        signal,
        onPending({ id }) {
          void gate.approvals
            .get(id)
            .then((found) => (found ? ask(found.approval) : undefined))
            .catch((error: unknown) => {
              log(`asking in the editor failed: ${error instanceof Error ? error.message : ''}`)
            })
        },
      },
    )
  }

  /** The agent's own question, but for a yes that would count for ever. */
  async function asEver(
    params: JsonObject,
    choices: readonly Choice[],
    signal: AbortSignal,
  ): Promise<Choice | undefined> {
    const options = choices.map(({ id, name, kind }) => ({ optionId: id, name, kind }))
    const answer = await relay.ask('session/request_permission', { ...params, options }, signal)
    return chosenIn(answer, choices)
  }

  interface Asked {
    readonly session: string
    readonly id: string
    readonly kind: string
    readonly choices: readonly Choice[]
  }

  /** Asks in the editor where an answer there can count; says where people decide otherwise. */
  async function askHere(
    approval: Approval,
    { session, id, kind, choices }: Asked,
    onYes: (choice: Choice) => void,
  ): Promise<void> {
    const inbox = await options.inbox()
    const card = inbox === undefined ? undefined : cardOf(inbox, approval.id)
    const say = (text: string) =>
      relay.tell('session/update', {
        sessionId: session,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      })
    const shown = mayAnswerHere(approval, person)
      ? await gate.approvals.get(approval.id)
      : undefined
    const text =
      shown?.args && shown.question && shown.approval.digest === approval.digest
        ? questionText({ approval, args: shown.args, message: shown.question.message }, card)
        : undefined
    const left = async (how: string) => {
      if (card !== undefined) return say(`\nCountersign: this ${how} for a person${at(card)}\n`)
      // Nowhere else can it be decided about.
      say('\nCountersign: no person can be asked about this here, so it is refused.\n')
      await gate.approvals.withdraw(approval.id, { agent: approval.call.agent })
    }
    if (text === undefined) return left('waits')
    const offered = optionsFor(choices, approval.terms.grants && card !== undefined)
    const since = performance.now()
    const answer = await relay.ask('session/request_permission', {
      sessionId: session,
      toolCall: {
        toolCallId: id,
        title: 'Countersign asks',
        kind,
        status: 'pending',
        content: [{ type: 'content', content: { type: 'text', text } }],
      },
      options: offered.map(({ id: optionId, name, kind: how }) => ({ optionId, name, kind: how })),
    })
    const chosen = chosenIn(answer, offered)
    // An editor that answers by itself is no person; the question stays in the inbox.
    if (!chosen || performance.now() - since < SOONEST_ANSWER) return left('still waits')
    if (chosen.choice) onYes(chosen.choice)
    const verdict = chosen.choice ? 'approve' : 'deny'
    await gate.approvals.decide(approval.id, { by: person, verdict, seen: approval.digest })
    if (chosen.kind === 'allow_always') {
      say(`\nCountersign: allowed once. To allow it for a time, make a grant${at(card)}\n`)
    }
  }

  const relay: Relay = createRelay({
    ...options,
    onAgentRequest,
    mayTell: (method) => TOLD.has(method),
    onPassed,
    onEnd() {
      for (const session of [...sessions.keys()]) endTurn(session)
      for (const { reject } of running.values()) reject(unsaid())
      over.resolve()
    },
  })

  return { over: over.promise, close: relay.close }
}

function unsaid(): CountersignError {
  return new CountersignError('outcome_unknown', 'the agent did not say how it ended')
}

function at(card: string | undefined): string {
  return card === undefined ? '' : ` at ${card}`
}

const OWN_CHOICES: readonly Choice[] = [
  { id: 'allow', name: 'Allow once', kind: 'allow_once' },
  { id: 'reject', name: 'Reject', kind: 'reject_once' },
]

interface Offered {
  readonly id: string
  readonly name: string
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once'
  /** What the agent is told; undefined for a no. */
  readonly choice: Choice | undefined
}

/** In our words: names that the agent chose could say the opposite of what they do. */
function optionsFor(choices: readonly Choice[], mayGrant: boolean): readonly Offered[] {
  const yes = choices.filter(isYes)
  const [first] = yes
  return [
    ...yes.map((choice, place): Offered => {
      const name = yes.length === 1 ? 'Allow once' : `Allow once: ${choice.name}`
      return { id: `allow-${place}`, name, kind: 'allow_once', choice }
    }),
    ...(mayGrant && first
      ? [
          {
            id: 'grant',
            name: 'Allow once, then make a grant in the inbox',
            kind: 'allow_always',
            choice: first,
          } as const,
        ]
      : []),
    { id: 'reject', name: 'Reject', kind: 'reject_once', choice: undefined },
  ]
}
