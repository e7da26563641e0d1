import { isCountersignError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { DecisionPoint } from '../../policy/document.ts'
import { nodeModule, variable } from './node-modules.ts'
import { type Received, send } from './send.ts'

/** What a decision point said of a call. Whatever is not a plain yes or no is a failure. */
export type PdpAnswer =
  | { readonly decision: true }
  | { readonly decision: false /** A code, never a text. */; readonly reason?: string | undefined }
  | { readonly failed: string }

/** AuthZEN Authorization API 1.0: one evaluation, asked once, never cached. */
export async function askPdp(point: DecisionPoint, evaluation: JsonObject): Promise<PdpAnswer> {
  const patience = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<PdpAnswer>((resolve) => {
    timer = setTimeout(() => {
      resolve({ failed: 'it did not answer in time' })
      patience.abort()
    }, point.timeout)
  })
  try {
    return await Promise.race([late, asked(point, evaluation, patience.signal)])
  } catch (error) {
    return { failed: messageOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

async function asked(
  { url, token }: DecisionPoint,
  evaluation: JsonObject,
  signal: AbortSignal,
): Promise<PdpAnswer> {
  const secret = token === undefined ? undefined : await readToken(token)
  const received = await send(new URL(`${url}/access/v1/evaluation`), {
    body: JSON.stringify(evaluation),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'countersign',
      'x-request-id': crypto.randomUUID(),
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
    signal,
  })
  return answerOf(received)
}

function answerOf({ status, type, bytes }: Received): PdpAnswer {
  if (status !== 200) {
    const more = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
    return { failed: `it answered ${status}${more}` }
  }
  if (!/^application\/json\s*(;|$)/i.test(type)) return { failed: 'its answer is not JSON' }
  const body = parseStrict(bytes)
  const { decision, context } = isPlainObject(body) ? body : {}
  if (decision === true) return { decision }
  if (decision !== false) return { failed: 'its answer holds no decision' }
  const { reason } = isPlainObject(context) ? context : {}
  // Its words could instruct the model; a code cannot.
  const isCode = typeof reason === 'string' && /^[A-Za-z0-9_.:-]{1,64}$/.test(reason)
  return { decision, reason: isCode ? reason : undefined }
}

/** From the variable, or from the file that the variable with `_FILE` at its end names. */
async function readToken(name: string): Promise<string> {
  const file = variable(`${name}_FILE`)
  const files = nodeModule('node:fs/promises')
  const text =
    file === undefined ? variable(name) : await files?.readFile(file, 'utf8').catch(() => undefined)
  const token = text?.trim() ?? ''
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token
  throw new Error(`${name} holds no token`)
}

/** Of errors of our own; whatever else is thrown may quote the answer. */
function messageOf(error: unknown): string {
  if (isCountersignError(error)) return 'its answer is not JSON that every reader reads alike'
  if (error instanceof Error && error.constructor === Error) return error.message
  return 'it could not be asked'
}
