/** Why a model's server gave no answer, in a sentence for the person who chats. */
export class ModelUnreachable extends Error {
  override readonly name = 'ModelUnreachable'
}

interface Connection {
  readonly key?: string | undefined
  /** A server that sends nothing for this long is given up. */
  readonly silenceMs: number
  readonly via?: typeof fetch | undefined
}

const MOST_OF_AN_ERROR = 16_384

/**
 * The way to a model's server. It never follows a redirect, because the key would travel with it, and takes
 * the key out of error texts, which some servers repeat it in. A server that is down is not tried
 * again: a person waits and can do that.
 */
export function modelFetch({ key, silenceMs, via = fetch }: Connection): typeof fetch {
  return async (input, init) => {
    const silence = new AbortController()
    const given = init?.signal ?? undefined
    const signal = given ? AbortSignal.any([given, silence.signal]) : silence.signal
    const watched = <T>(step: () => Promise<T>): Promise<T> => {
      const timer = setTimeout(() => silence.abort(silent(silenceMs)), silenceMs)
      return step().finally(() => clearTimeout(timer))
    }
    let response: Response
    try {
      response = await watched(() => via(input, { ...init, signal, redirect: 'error' }))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof ModelUnreachable) throw error
      // Without the error as its cause: the SDK would find it there and try again for seconds.
      throw new ModelUnreachable(`The model's server cannot be reached${codeOf(error)}.`)
    }
    const { status, headers, body } = response
    if (!response.ok) {
      const text = await watched(() => beginning(body))
      return new Response(withoutKey(text, key), { status, headers: plain(headers) })
    }
    return new Response(body && reading(body, watched), { status, headers: plain(headers) })
  }
}

function silent(ms: number): ModelUnreachable {
  const seconds = Math.round(ms / 1_000)
  return new ModelUnreachable(`The model's server sent nothing for ${seconds} seconds.`)
}

/** Time counts only while bytes are waited for: a reader that is slow is not the server's silence. */
function reading(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  watched: <T>(step: () => Promise<T>) => Promise<T>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await watched(() => reader.read())
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

async function beginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MOST_OF_AN_ERROR) break
  }
  return text.slice(0, MOST_OF_AN_ERROR)
}

export function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key === '' ? text : text.replaceAll(key, '[key]')
}

/** The body is decoded already. */
function plain(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ['content-encoding', 'content-length']) kept.delete(name)
  return kept
}

/** ` (ECONNREFUSED)`: the one word of a failed connection that says what to do. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } }
  return typeof cause?.code === 'string' ? ` (${cause.code})` : ''
}
