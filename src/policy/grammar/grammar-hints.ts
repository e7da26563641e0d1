import { show } from '../read/read-report.ts'
import { nearest, plainWord } from './nearest.ts'

/**
 * Keys of other systems by which silence becomes approval. Each is refused by name, so that no
 * author believes it works.
 */
const YES_BY_SILENCE = [
  /^(auto|default)(approv|accept|allow|confirm|grant|decision|answer|verdict|action|outcome|response)/,
  /^(on|after|when|if|at)(timeout|timedout|expir|laps|noanswer|noresponse|nobody|silence|unanswered)/,
  /^(timeout|expiry|expiration|expire|lapse)(action|decision|verdict|policy|behaviou?r|fallback|default|mode|result|answer|outcome)/,
  /^approve[ds]?(after|ontimeout|onexpir|whenexpired|bydefault|iftimeout)/,
  /^(fallback|otherwise|assumeyes|assumeapproved)/,
]

const CLOCKS =
  'it is several clocks here: decide_by (how long the question lives), use_by (how long a yes may be used), and wait_for under defaults (how long a caller waits)'

const ONE_CLOCK = new Set(
  [
    'timeout',
    'timeout_ms',
    'timeout_seconds',
    'ttl',
    'expires',
    'expires_in',
    'expires_after',
    'expiry',
    'deadline',
  ].map(plainWord),
)

/** `review` was called `approve`, which is what people decide. */
export function isOldVerdict(word: string): boolean {
  return plainWord(word) === 'approve'
}

/** What to say about a verdict that stands where an approval is declared. */
export function verdictHint(word: string): string {
  if (isOldVerdict(word)) return `. The verdict approve was renamed to review; ${ASKS_FOR_REVIEW}`
  return plainWord(word) === 'review' ? `; review is a verdict, and ${ASKS_FOR_REVIEW}` : ''
}

const ASKS_FOR_REVIEW = '`approval: { approvers: [...] }` asks for it'

/** What to say about a key that this map does not have. */
export function unknownKey(
  key: string,
  name: string,
  known: readonly string[],
  hints: Readonly<Record<string, string>>,
  homes: ReadonlyMap<string, string>,
): { kind: string; message: string } {
  const word = plainWord(key)
  const quoted = `\`${key.length > 60 ? `${key.slice(0, 57)}...` : key}\``
  if (YES_BY_SILENCE.some((pattern) => pattern.test(word))) {
    const message = `${quoted} is refused: an unanswered question never becomes a yes; it expires when decide_by has passed`
    return { kind: 'yes_by_silence', message }
  }
  const kind = 'unknown_key'
  const says = (what: string) => ({ kind, message: `${quoted} is not a key of ${name}; ${what}` })
  const hint = Object.hasOwn(hints, word) ? hints[word] : undefined
  if (hint !== undefined) return says(hint)
  if (ONE_CLOCK.has(word)) return says(CLOCKS)
  const glued = known.find((one) => key.startsWith(`${one}:`))
  if (glued !== undefined) return says(`put a space after \`${glued}:\``)
  const meant = nearest(key, known)
  if (meant !== undefined) return says(`did you mean \`${meant}\`?`)
  const home = homes.get(key)
  if (home !== undefined) return says(`it belongs ${home}`)
  if (key === '') return { kind, message: `a key is empty; ${name} has ${known.join(', ')}` }
  return says(`it has ${known.join(', ')}`)
}

export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : `; did you mean ${show(meant)}?`
}
