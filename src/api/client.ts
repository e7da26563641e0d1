import { urlBelow } from '../base/net/url-below.ts'
import type { WireError } from './approval.ts'
import type { CallerKind, GivenBodyOf, ParamsOf, QueryOf, ResponseOf } from './contract.ts'
import type { ContractOf, RouteName } from './contracts.ts'

/*
 * The one HTTP client: inbox, command line and remote gate send with it. A route's name holds its
 * method and path, so only types come from the contracts and no schema is loaded at run time.
 */

export interface ClientOptions {
  /** Where the server is. It may be mounted below a path of its host. */
  readonly url: string
  /** What proves who asks; looked up before each request. */
  readonly headers: () => Readonly<Record<string, string>>
  /** For tests and for runtimes with a fetch of their own. */
  readonly fetch?: typeof fetch
  readonly init?: Pick<RequestInit, 'credentials' | 'cache'>
  /** Milliseconds until the server is taken for gone; for ever unless set. */
  readonly timeout?: number
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** In place of the client's own; `false`: for ever. */
  readonly timeout?: number | false
  /** Sent even when the page that asks is closed. */
  readonly keepalive?: boolean
}

type Contract<N extends RouteName> = ContractOf<N>
type Params<N extends RouteName> = keyof ParamsOf<N> extends never
  ? object
  : { readonly params: ParamsOf<N> }
type Query<N extends RouteName> = keyof QueryOf<Contract<N>> extends never
  ? object
  : {
      readonly query?: {
        readonly [K in keyof QueryOf<Contract<N>>]?: QueryOf<Contract<N>>[K] | undefined
      }
    }
/** `text`: the body as JSON already, or of another protocol. It is sent as it is, mistakes included. */
type Body<N extends RouteName> =
  GivenBodyOf<Contract<N>> extends undefined
    ? { readonly text?: string }
    : { readonly body: GivenBodyOf<Contract<N>> } | { readonly text: string }

export type Input<N extends RouteName> = Params<N> & Query<N> & Body<N> & SendOptions
/** Left out where nothing in it is needed. */
type Rest<N extends RouteName> = object extends Input<N> ? [input?: Input<N>] : [input: Input<N>]

export type Answer<N extends RouteName, Caller extends CallerKind> = ResponseOf<Contract<N>, Caller>

export interface Received<B> {
  readonly status: number
  readonly headers: Headers
  readonly body: B
}

export interface Client<Caller extends CallerKind = 'person'> {
  /** The body of the response. Throws `Refused` or `Unreachable`. */
  call<N extends RouteName>(name: N, ...rest: Rest<N>): Promise<Answer<N, Caller>>
  /** The same with status and headers. */
  send<N extends RouteName>(name: N, ...rest: Rest<N>): Promise<Received<Answer<N, Caller>>>
  /** For streams and files: the response itself, its body unread. */
  open<N extends RouteName>(name: N, ...rest: Rest<N>): Promise<Response>
}

/** The server answered, and the answer is no. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  /** Which argument is wrong, key by key, where it is one. */
  readonly at: readonly string[] | undefined
  /** The message is a whole sentence for the model. */
  readonly sentence: boolean
  /** With `edit_completed`: what the tool's schema makes of the edit. */
  readonly completed: WireError['error']['completed']
  /** With `payload_invalid`: every mistake in the answers to the form. */
  readonly mistakes: WireError['error']['mistakes']
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(status: number, error: WireError['error'], retryAfter?: number) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.hint = error.hint
    this.at = error.at
    this.sentence = error.sentence === true
    this.completed = error.completed
    this.mistakes = error.mistakes
    this.retryAfter = retryAfter
  }
}

/** There was no answer, or not one of ours. Whether a change was made is unknown. */
export class Unreachable extends Error {
  /** It points to another address. Credentials are not sent on. */
  readonly isMoved: boolean

  constructor(message: string, { cause, isMoved = false }: { cause?: unknown; isMoved?: boolean }) {
    super(message, { cause })
    this.isMoved = isMoved
  }
}

interface AnyInput extends SendOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly text?: string
}

export function createClient<Caller extends CallerKind = 'person'>(
  options: ClientOptions,
): Client<Caller> {
  const { url, headers, init, timeout: usual = false } = options

  async function reach(name: string, input: AnyInput = {}): Promise<Response> {
    const [method = '', path = ''] = name.split(' ')
    const { body, text = body === undefined ? undefined : JSON.stringify(body) } = input
    const { signal, timeout = usual, keepalive = false } = input
    const ends = [signal ?? [], timeout === false ? [] : AbortSignal.timeout(timeout)].flat()
    const at = `${filled(path, input.params)}${search(input.query)}`
    const send = options.fetch ?? fetch
    const response = await unlessSilent(() =>
      send(urlBelow(url, at), {
        ...init,
        method,
        headers: {
          accept: 'application/json',
          ...headers(),
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...input.headers,
        },
        ...(text === undefined ? {} : { body: text }),
        // Credentials must not travel to wherever an answer points. Workers know no `error` here.
        redirect: 'manual',
        // Not all browsers know `any`, and pages have one reason to stop at most.
        signal: ends.length > 1 ? AbortSignal.any(ends) : (ends[0] ?? null),
        keepalive,
      }),
    )
    if (isElsewhere(response)) {
      throw new Unreachable('The server points somewhere else.', { isMoved: true })
    }
    if (response.ok || response.status === 304) return response
    throw refusalOf(response, read(await unlessSilent(() => response.text())))
  }

  async function send(name: string, input?: AnyInput): Promise<Received<never>> {
    const response = await reach(name, input)
    const { status, headers } = response
    const text = await unlessSilent(() => response.text())
    const body = read(text)
    if (body === undefined && text !== '') {
      throw new Unreachable('The server did not answer with JSON.', {})
    }
    return { status, headers, body: body as never }
  }

  return {
    call: async (name, ...[input]) => (await send(name, input)).body,
    send: (name, ...[input]) => send(name, input),
    open: (name, ...[input]) => reach(name, input),
  }
}

async function unlessSilent<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new Unreachable('The server did not answer.', { cause })
  }
}

function filled(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** What is undefined or empty is left out; lists are written with commas. */
function search(query: Readonly<Record<string, unknown>> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => {
    const text = String(value ?? '')
    return text === '' ? [] : [[name, text]]
  })
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Browsers hide where an answer points; all other runtimes show it. */
function isElsewhere({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)
}

function read(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `unexpected`: something between us and the server said no, and gave no reason. */
function refusalOf({ status, headers }: Response, body: unknown): Refused {
  const error = (body as Partial<WireError> | null | undefined)?.error
  const seconds = headers.get('retry-after') ?? ''
  const isOurs = typeof error?.message === 'string' && typeof error.code === 'string'
  return new Refused(
    status,
    isOurs
      ? error
      : { code: 'unexpected', message: `The server answered with ${status} and no reason.` },
    /^\d{1,5}$/.test(seconds) ? Number(seconds) : undefined,
  )
}
