/*
 * Which names hold secrets. Names are read as words, however they are spelled: `apiKey`, `API_KEY`
 * and `x-api-key` end with the same two. The last words decide: `token_count` is a number and
 * `page_token` is a place in a list.
 */

const ALONE = new Set(
  `password passwords passwd passphrase passcode pwd secret secrets credential credentials
  authorization cookie cookies token jwt bearer mnemonic cvv cvc otp totp`.split(/\s+/),
)

const KEYS = 'api private secret access signing encryption auth account shared master ssh session'
const PAIRS = new Set([
  ...KEYS.split(' ').flatMap((word) => [`${word} key`, `${word} keys`]),
  ...['access', 'api', 'auth', 'bearer', 'refresh', 'session'].map((word) => `${word} tokens`),
  'pass word',
  'pass words',
  'pass phrase',
  'pass code',
  'seed phrase',
  'recovery phrase',
  'recovery codes',
  'backup codes',
  'security code',
])

/** Written as one word: `accesstoken`, `clientsecret`. */
const GLUED = /(?:password|passwd|passphrase|secret|token|(?:api|private|secret|access)key)s?$/

/** Words after the one that counts: `password_confirmation`, `private_key_pem`. */
const TRAILING = new Set(
  'value text plain plaintext raw confirm confirmation again repeat new old current base64 b64 pem'.split(
    ' ',
  ),
)

/** A token of text, or a place in a list. */
const HARMLESS_TOKENS = new Set(
  `page continuation cursor next sync resume max min num per stop eos bos pad unk sep mask special
  start end design first last prompt completion input output`.split(/\s+/),
)

/** `has_password` says something about a secret. */
const ABOUT = new Set(['is', 'has', 'requires', 'require', 'show', 'hide'])

// Names come from models. What decides stands at the end.
const LONGEST = 128

// The same few names come again and again; those that models invent are not kept for ever.
const known = new Map<string, boolean>()
const KNOWN = 2_000

/** Whether what stands under this name is hidden, whatever it is. */
export function isSecretName(name: string): boolean {
  const before = known.get(name)
  if (before !== undefined) return before
  const answer = judge(name)
  if (known.size >= KNOWN) known.clear()
  if (name.length <= LONGEST) known.set(name, answer)
  return answer
}

function judge(name: string): boolean {
  const words = wordsOf(name.slice(-LONGEST))
  const last = words.at(-1)
  if (last === undefined) return false
  if (words.length > 1 && ABOUT.has(words[0] ?? '')) return false
  const before = words.at(-2) ?? ''
  if (PAIRS.has(`${before} ${last}`)) return true
  if (last === 'token') return !HARMLESS_TOKENS.has(before)
  return ALONE.has(last) || (last !== 'tokens' && GLUED.test(last))
}

function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => (/^\d+$/.test(word) ? '' : word.replace(/(?<=[a-z])\d{1,3}$/, '')))
    .filter((word) => word !== '')
  while (words.length > 1 && TRAILING.has(words.at(-1) ?? '')) words.pop()
  return words
}

/** The value of these goes on to the end of the line. */
export function isHeaderName(name: string): boolean {
  return /(?:^|[^a-z])(?:authorization|cookie)$/i.test(name)
}
