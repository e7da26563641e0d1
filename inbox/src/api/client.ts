/** The only place that sends an API request: the client that all of Countersign uses, in this page. */
import { type Client, createClient, Refused, Unreachable } from '../../../src/api/client.ts'
import { BASE_PATH } from '../lib/base-path.ts'
import { noteAnswer, noteSilence } from './connection.ts'

/** Kept by the page: a cookie alone travels to other programs of this machine as well. */
const KEY = `countersign.key${BASE_PATH}`

export function storeCsrfKey(key: string): void {
  localStorage.setItem(KEY, key)
}

export function dropCsrfKey(): void {
  localStorage.removeItem(KEY)
}

/** A server that takes longer for an ordinary answer hangs; what may take its time says so. */
const TIMEOUT_MS = 10_000

const client = createClient({
  url: location.origin + BASE_PATH,
  headers: () => ({ 'x-countersign-csrf': localStorage.getItem(KEY) ?? '' }),
  init: { credentials: 'same-origin', cache: 'no-store' },
  timeout: TIMEOUT_MS,
})

async function noted<T>(work: Promise<T>): Promise<T> {
  try {
    const answer = await work
    noteAnswer()
    return answer
  } catch (error) {
    if (error instanceof Refused) noteAnswer()
    else if (error instanceof Unreachable && !isStopped(error)) noteSilence()
    throw error
  }
}

/** This page gave up; of the server that says nothing. */
const isStopped = ({ cause }: Error) => (cause as Error | undefined)?.name === 'AbortError'

/** Throws `Refused` for a no, `Unreachable` for silence. */
export const call: Client['call'] = (...sent) => noted(client.call(...sent))

/** The response itself: for streams and files. */
export const open: Client['open'] = (...sent) => noted(client.open(...sent))

/** Saves a response as a file. By hand, because a link would not carry the key of this page. */
export async function saveAs(name: string, response: Response): Promise<void> {
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
