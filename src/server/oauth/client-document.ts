import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import { readClientId } from './client-id.ts'
import { readRedirect } from './redirect-uri.ts'

/** A client as its metadata document has it. Only its id is proven, by where the document is. */
export interface OAuthClient {
  readonly id: URL
  /** What it calls itself. */
  readonly name?: string
  readonly redirects: readonly URL[]
}

export interface ClientSources {
  /** Hosts of the own network whose documents are read; on this machine also without https. */
  readonly allowHosts: readonly string[]
  /** Hosts whose clients are taken; those of every public host unless set. */
  readonly clients: readonly string[] | undefined
}

const LONGEST = 16_000
const TIMEOUT_MS = 5_000
const LONGEST_NAME = 80
const MOST_REDIRECTS = 50
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i

/** Throws `invalid_value`, for a person to read. Nothing is kept: a document can change. */
export async function fetchClient(text: string, sources: ClientSources): Promise<OAuthClient> {
  const { allowHosts } = sources
  const id = readClientId(text, allowHosts)
  if (!isTaken(id.href, sources)) {
    throw refused(`clients of ${id.host} are not taken here`, 'Ask an admin of this server.')
  }
  // Loaded only here: it needs sockets, which not every runtime has.
  const { guardedGet } = await import('../http/guarded-get.ts')
  const options = {
    allowHosts,
    accept: 'application/json',
    longest: LONGEST,
    timeoutMs: TIMEOUT_MS,
  }
  const { type, bytes } = await guardedGet(id, options).catch((error: Error) => {
    throw refused(`the metadata document of the client cannot be read: ${error.message}`)
  })
  if (!JSON_TYPE.test(type))
    throw refused('the metadata document of the client is not marked as JSON')
  return readDocument(id, parsed(bytes))
}

/** Asked of connected clients too: the hosts that are taken may be fewer by now. */
export function isTaken(client: string, sources: ClientSources | undefined): boolean {
  if (!sources) return false
  return !sources.clients || sources.clients.includes(new URL(client).host)
}

function parsed(bytes: Uint8Array): Json {
  try {
    return parseStrict(bytes)
  } catch {
    throw refused('the metadata document of the client is not JSON')
  }
}

function readDocument(id: URL, document: Json): OAuthClient {
  if (!isPlainObject(document)) throw refused('the metadata document of the client is no object')
  const member = (name: string) => (Object.hasOwn(document, name) ? document[name] : undefined)
  if (member('client_id') !== id.href) {
    throw refused('the metadata document of the client names another client_id')
  }
  const method = member('token_endpoint_auth_method') ?? 'none'
  if (method !== 'none' || member('client_secret') !== undefined) {
    throw refused('the client wants to authenticate itself, and only public clients are taken')
  }
  if (!isListWith(member('grant_types'), 'authorization_code')) {
    throw refused('the client does not use authorization codes')
  }
  if (!isListWith(member('response_types'), 'code')) {
    throw refused('the client does not use authorization codes')
  }
  const name = member('client_name')
  if (name !== undefined && typeof name !== 'string') throw refused('client_name is no text')
  const redirects = redirectsOf(member('redirect_uris'))
  const shown = name === undefined ? '' : [...name.toWellFormed()].slice(0, LONGEST_NAME).join('')
  return { id, redirects, ...(shown.trim() === '' ? {} : { name: shown }) }
}

function isListWith(value: unknown, wanted: string): boolean {
  return value === undefined || (Array.isArray(value) && value.includes(wanted))
}

/** One that is unusable does not spoil the others: it can never be asked for. */
function redirectsOf(value: unknown): readonly URL[] {
  if (!Array.isArray(value) || value.length > MOST_REDIRECTS) {
    throw refused(`redirect_uris is no list of at most ${MOST_REDIRECTS}`)
  }
  return value.flatMap((one: unknown) => (typeof one === 'string' ? (readRedirect(one) ?? []) : []))
}

function refused(why: string, hint = 'The makers of the client can correct it.'): CountersignError {
  return new CountersignError('invalid_value', why, { hint })
}
