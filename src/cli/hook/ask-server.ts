import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { type HookOutput, stillWaits } from '../../adapters/claude-code/hook-output.ts'
import type { HookQuestion, HookReply, PolicyTexts } from '../../app/hook/exchange.ts'
import {
  ASK_PATH,
  HELLO_PATH,
  isProof,
  KEY,
  NONCE_HEADER,
  PROOF_HEADER,
  proofOf,
} from '../../app/hook/proof.ts'
import { packageVersion } from '../../app/version.ts'
import { CountersignError, ERRORS, type ErrorCode } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { readPolicyBytes } from '../files.ts'
import type { Shell } from '../shell.ts'
import type { HookServer } from '../state/server-file.ts'
import type { Prepared } from './prepare.ts'

/** What the server said, or that there is none to ask, and how far waiting got by then. */
export type Asked =
  | { readonly output: HookOutput }
  | { readonly unanswered: true; readonly left: number; readonly waited?: string }

const HELLO_MS = 3_000
const HOLD_MS = 20_000
const GRACE_MS = 10_000
const AGAIN_MS = 100
const MOST_QUESTION = 900_000
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])$/

/**
 * Asks the running server. It must prove first that it can read server.json: its port may belong to
 * another program by now. A server that is not there, of another version or busy leaves the decision
 * to the hook itself; one that proves itself and then answers nonsense blocks the call.
 */
export async function askServer(prepared: Prepared, waitFor: number, shell: Shell): Promise<Asked> {
  const server = hookServer(prepared)
  const question = server && questionOf(prepared)
  if (!server || !question) return { unanswered: true, left: waitFor }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    if (!(await isOurs(server, agent))) return { unanswered: true, left: waitFor }
    return await untilAnswered({ server, agent, question, waitFor, shell, prepared })
  } finally {
    agent.destroy()
  }
}

function hookServer({ server, place }: Prepared): HookServer | undefined {
  const hook = server?.hook
  if (!hook || server.version !== packageVersion()) return undefined
  if (typeof hook.key !== 'string' || !KEY.test(hook.key) || !URL.canParse(hook.url))
    return undefined
  const { protocol, hostname } = new URL(hook.url)
  const isNear = protocol === 'http:' && LOOPBACK.test(hostname)
  return isNear && isOwnFile(path.join(place.folder, 'server.json')) ? hook : undefined
}

/** Another user who may write to the folder could name a server of theirs. */
function isOwnFile(file: string): boolean {
  const uid = process.getuid?.()
  return uid === undefined || statSync(file).uid === uid
}

/** Undefined where it is more than the server takes. */
function questionOf({ bytes, input, project }: Prepared): Omit<HookQuestion, 'wait'> | undefined {
  const { agent, event, session, attempt } = input
  // How a call went is told by the event alone; what it returned may be large.
  const about =
    event === 'PreToolUse'
      ? { input: new TextDecoder().decode(bytes) }
      : { ended: { event, session, attempt } }
  const policies = project.policies.map(({ owner, governance }): PolicyTexts => {
    const read = (file: string) => ({
      file,
      text: new TextDecoder().decode(readPolicyBytes(file, project.root)),
    })
    return {
      ...(owner === undefined ? {} : { owner: read(owner) }),
      governance: governance.map(read),
    }
  })
  const question = { agent, ...about, policies }
  return JSON.stringify(question).length > MOST_QUESTION ? undefined : question
}

async function isOurs({ url, key }: HookServer, agent: Agent): Promise<boolean> {
  const nonce = newNonce()
  const version = packageVersion()
  const heard = await send(new URL(HELLO_PATH, url), { agent, nonce, patience: HELLO_MS })
  if (heard?.status !== 200) return false
  const said = parsed(heard.text)
  if (!isProof(said?.proof, proofOf(key, 'hello', nonce, String(said?.version)))) return false
  return said?.version === version
}

interface Asking {
  readonly server: HookServer
  readonly agent: Agent
  readonly question: Omit<HookQuestion, 'wait'>
  readonly waitFor: number
  readonly shell: Shell
  readonly prepared: Prepared
}

async function untilAnswered({
  server,
  agent,
  question,
  waitFor,
  shell,
  prepared,
}: Asking): Promise<Asked> {
  const end = performance.now() + waitFor
  let waited: string | undefined
  for (;;) {
    // At once the first time: the user should see where the question waits.
    const most = waited === undefined ? 0 : HOLD_MS
    const wait = Math.ceil(Math.min(Math.max(0, end - performance.now()), most))
    const reply = await ask(server, agent, { ...question, wait, ...(waited ? { waited } : {}) })
    if (reply === undefined || reply.status === 'elsewhere') {
      const left = Math.ceil(Math.max(0, end - performance.now()))
      return { unanswered: true, left, ...(waited ? { waited } : {}) }
    }
    if (reply.status === 'answer') return { output: reply.output }
    if (reply.status === 'error') throw errorOf(reply)
    if (waited === undefined) shell.err.line(waitingAt(reply))
    // A server that is about to stop answers at once, again and again.
    else await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    waited = reply.approval
    if (performance.now() >= end) return { output: stillWaits(prepared.input.tool, waited) }
  }
}

function waitingAt({ inbox, approval }: HookReply & { status: 'pending' }): string {
  return `countersign: waits for a person, at ${inbox}approvals/${approval}`
}

/** Undefined when the server is gone. What it answers without a proof is not an answer. */
async function ask(
  { url, key }: HookServer,
  agent: Agent,
  question: HookQuestion,
): Promise<HookReply | undefined> {
  const nonce = newNonce()
  const body = JSON.stringify(question)
  const heard = await send(new URL(ASK_PATH, url), {
    agent,
    nonce,
    patience: question.wait + GRACE_MS,
    body,
    proof: proofOf(key, 'ask', nonce, body),
  })
  if (heard === undefined) return undefined
  const reply = isProof(heard.proof, proofOf(key, 'answer', nonce, heard.text))
    ? parsed(heard.text)
    : undefined
  if (reply && isReply(reply)) return reply
  throw new CountersignError('server_unreachable', 'the Countersign server answered nonsense', {
    hint: 'Start it again: `countersign start`. Until then no call runs.',
  })
}

function isReply(value: JsonObject): value is JsonObject & HookReply {
  const { status, output, approval, inbox, message } = value
  if (status === 'elsewhere') return true
  if (status === 'pending') return typeof approval === 'string' && typeof inbox === 'string'
  if (status === 'error') return typeof message === 'string'
  return status === 'answer' && (output === undefined || isHookOutput(output))
}

/** Anything else could be taken for no objection. */
function isHookOutput(output: unknown): boolean {
  if (!isPlainObject(output) || !isPlainObject(output.hookSpecificOutput)) return false
  const { hookEventName, permissionDecision, updatedInput } = output.hookSpecificOutput
  if (hookEventName !== 'PreToolUse') return false
  return (
    permissionDecision === 'deny' || (permissionDecision === 'allow' && isPlainObject(updatedInput))
  )
}

function errorOf({ code, message, hint }: HookReply & { status: 'error' }): CountersignError {
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal'
  return new CountersignError(known, message, hint === undefined ? {} : { hint })
}

interface Sending {
  readonly agent: Agent
  readonly nonce: string
  readonly patience: number
  readonly body?: string
  readonly proof?: string
}

interface Heard {
  readonly status: number | undefined
  readonly proof: unknown
  readonly text: string
}

const MOST_REPLY = 32 * 1_048_576

/** Undefined without an answer: no server listens, or not in time. `fetch` loads slower. */
function send(
  url: URL,
  { agent, nonce, patience, body, proof }: Sending,
): Promise<Heard | undefined> {
  return new Promise((resolve) => {
    const headers = {
      [NONCE_HEADER]: nonce,
      ...(proof === undefined ? {} : { [PROOF_HEADER]: proof }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const method = body === undefined ? 'GET' : 'POST'
    const signal = AbortSignal.timeout(patience)
    const sent = request(url, { agent, method, headers, signal }, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > MOST_REPLY) sent.destroy()
        chunks.push(chunk)
      })
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode, proof: response.headers[PROOF_HEADER], text })
      })
      response.on('error', () => resolve(undefined))
    })
    sent.on('error', () => resolve(undefined))
    sent.on('close', () => resolve(undefined))
    sent.end(body)
  })
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function newNonce(): string {
  return randomBytes(16).toString('hex')
}
