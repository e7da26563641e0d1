import { failure, type Result, success } from '../../base/result.ts'
import { key, object, required } from '../read/read-object.ts'
import { choice, parsed, refuse, type Shape, text } from '../read/read-shape.ts'
import { duration } from './grammar-values.ts'

/** A decision point as it is written: its address alone, or with how it is asked. */
export interface WrittenPdp {
  readonly url: string
  readonly token?: string | undefined
  readonly timeout?: number | undefined
  readonly onError?: 'deny' | 'review' | undefined
}

const address: Shape<string> = parsed('an https address', parseAddress, {
  schema: { pattern: '^https?://[^?#@]+$' },
  quiet: true,
})

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]']

function parseAddress(written: string): Result<string> {
  if (!URL.canParse(written))
    return failure('this is not an address such as https://pdp.example.com')
  const { protocol, hostname, username, password } = new URL(written)
  const isLocal = protocol === 'http:' && THIS_MACHINE.includes(hostname)
  if (protocol !== 'https:' && !isLocal) {
    return failure('use https, or http for a decision point on this machine')
  }
  if (username !== '' || password !== '') {
    return failure('keep names and passwords out of addresses; use token')
  }
  // As it is written: a URL forgets a ? or # that nothing follows, and the path is added to it.
  if (/[?#]/.test(written)) return failure('an address of a decision point has no ? or #')
  return success(written.replace(/\/+$/, ''))
}

const LONGEST = 30_000

const timeout: Shape<number> = {
  ...duration,
  read(tree, at) {
    const value = duration.read(tree, at)
    if (value === undefined || (value > 0 && value <= LONGEST)) return value
    at.report.mistake(tree.place, at.path, 'bad_value', 'write a duration of 1s to 30s')
    return undefined
  },
}

/** Other variables of the process are not for it: its answers decide, and its owner reads the log. */
const tokenName: Shape<string> = text('the name of a variable such as PDP_TOKEN', {
  pattern: /^PDP_[A-Z0-9_]{1,100}$/,
  problem: 'the variable with the token is called PDP_ and capitals, digits or _',
})

const parts = object(
  'pdp',
  {
    url: required(address, 'Where the decision point is.', 'url: https://pdp.example.com'),
    token: key(
      tokenName,
      'The variable that holds the bearer token; with _FILE at its end, the name of a file that does.',
    ),
    timeout: key(timeout, 'How long it may take; 2s unless set, 30s at most.'),
    on_error: key(
      choice(['deny', 'review']),
      'What becomes of a call when it cannot be asked; deny unless set.',
    ),
  },
  { hints: { endpoint: 'did you mean `url`?', fallback: 'did you mean `on_error`?' } },
)

const WANTS = 'an https address, or { url, token, timeout, on_error }'

/** `pdp` */
export const decisionPoint: Shape<WrittenPdp> = {
  wants: WANTS,
  read(tree, at) {
    if (tree.kind === 'scalar') {
      const url = address.read(tree, at)
      return url === undefined ? undefined : { url }
    }
    if (tree.kind !== 'map') return refuse(tree, at, WANTS)
    const { url, token, timeout: within, on_error } = parts.read(tree, at)?.values ?? {}
    return url === undefined ? undefined : { url, token, timeout: within, onError: on_error }
  },
  schema: (defs) => ({ anyOf: [address.schema(defs), parts.schema(defs)] }),
}
