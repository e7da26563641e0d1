/** The only place that sends an API request. Response types are the shared wire contract. */

import type { WireError } from '../../../src/api/approval.ts'
import { BASE_PATH } from '../lib/base-path.ts'
import { noteAnswer, noteSilence } from './connection.ts'
import { ApiError, NetworkError } from './errors.ts'

/** Kept by the page: a cookie alone travels to other programs of this machine as well. */
const KEY = `countersign.key${BASE_PATH}`

export function storeCsrfKey(key: string): void {
  localStorage.setItem(KEY, key)
}

export function dropCsrfKey(): void {
  localStorage.removeItem(KEY)
}

/** What proves that our page sends a request. */
export function ownHeaders(accept: string): Headers {
  return new Headers({ accept, 'x-countersign-csrf': localStorage.getItem(KEY) ?? '' })
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A string body is sent as it is. Throws `ApiError` for a refusal, `NetworkError` for silence. */
export async function request<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const headers = ownHeaders('application/json')
  if (body !== undefined) headers.set('content-type', 'application/json')
  let response: Response
  let text: string
  try {
    response = await fetch(`${BASE_PATH}${path}`, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    text = await response.text()
  } catch {
    throw silence()
  }
  noteAnswer()
  const parsed = readJson(text)
  if (response.ok) return parsed as T
  throw new ApiError(response.status, refusalOf(parsed, response.status))
}

/** Saves a response as a file. By hand, because a link would not carry the key of this page. */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(`${BASE_PATH}${path}`, {
    headers: ownHeaders('*/*'),
    cache: 'no-store',
  }).catch(() => {
    throw silence()
  })
  if (!response.ok) throw await apiErrorOf(response)
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status } = response
  return new ApiError(status, refusalOf(readJson(await response.text()), status))
}

function silence(): NetworkError {
  noteSilence()
  return new NetworkError('The server did not answer.')
}

function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusalOf(body: unknown, status: number): WireError['error'] {
  const error = (body as Partial<WireError> | undefined)?.error
  if (error !== undefined && typeof error.message === 'string') return error
  return { code: 'unexpected', message: `The server answered with ${status} and no reason.` }
}

/** `?a=1&b=2` without the empty ones; nothing at all when all are. */
export function queryOf(params: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}
