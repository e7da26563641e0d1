import { isHeaderName, isSecretName } from './secret-name.ts'

/*
 * Secrets inside text, found by their form. Only forms that hardly anything else has: a mask that
 * hides half of every command is one that people learn to click away. Each search is linear in the
 * text: patterns start at the beginning of a word only, and what they repeat is a class that ends
 * where the next word begins.
 */

/** What stands where a secret was. The same for every secret: not even its length is told. */
export const MASK = '[secret]'

/** From here to there, not including there. */
export type Span = readonly [from: number, to: number]

/** The form of one token, and texts of which one must be there before it is worth searching. */
type Form = readonly [hints: readonly string[], pattern: RegExp]

/** Tokens that say what they are. The word around them goes with them. */
const TOKENS: readonly Form[] = [
  // AWS, Google, npm, Hugging Face, PyPI, SendGrid, Vault, DigitalOcean, age, and our own
  [
    ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    /(?<![A-Za-z0-9])A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  ],
  [['AIza'], /(?<![\w-])AIza[\w-]{35,80}/g],
  [['ya29.', 'GOCSPX-'], /(?<![\w-])(?:ya29\.|GOCSPX-)[\w-]{20,}/g],
  [['npm_', 'hf_'], /(?<![\w-])(?:npm|hf)_[A-Za-z0-9]{30,}/g],
  [['pypi-'], /(?<![\w-])pypi-[\w-]{40,}/g],
  [['SG.'], /(?<![\w-])SG\.[\w-]{16,64}\.[\w-]{16,}/g],
  [['hvs.', 'hvb.'], /(?<![\w-])hv[sb]\.[\w-]{20,}/g],
  [['dop_v1_'], /(?<![\w-])dop_v1_[a-f0-9]{60,}/g],
  [['AGE-SECRET-KEY-1'], /(?<![\w-])AGE-SECRET-KEY-1[A-Z0-9]{50,}/g],
  [['cs_'], /(?<![\w-])cs_[0-9a-f]{12}_[\w-]{43}/g],
  // GitHub, GitLab, Slack, Stripe, Shopify
  [['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /(?<![\w-])gh[pousr]_[A-Za-z0-9]{30,}/g],
  [['github_pat_'], /(?<![\w-])github_pat_\w{22,}/g],
  [['glpat-', 'glptt-', 'glrt-', 'gldt-'], /(?<![\w-])gl(?:pat|ptt|rt|dt)-[\w-]{20,}/g],
  [['xox'], /(?<![\w-])xox[abeoprs](?:\.xox[abeoprs])?-[\w-]{10,}/g],
  [['xapp-'], /(?<![\w-])xapp-[\w-]{10,}/g],
  [['hooks.slack.com'], /(?<=hooks\.slack\.com\/services\/)[\w/]{20,}/g],
  [['_live_', '_test_'], /(?<![\w-])[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g],
  [['whsec_'], /(?<![\w-])whsec_[A-Za-z0-9+/=]{16,}/g],
  [['shpat_', 'shpca_', 'shppa_', 'shpss_'], /(?<![\w-])shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g],
  // JSON Web Tokens
  [['eyJ'], /(?<![\w.-])eyJ[\w-]{10,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/g],
  // to its end, or to the end of the text when that is cut off
  [
    ['PRIVATE KEY'],
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ],
]

/** OpenAI and Anthropic; and what follows `Bearer`. Words are excluded by asking for a digit. */
const DIGIT_TOKENS: readonly Form[] = [
  [['sk-'], /(?<![\w-])sk-[\w-]{20,}/g],
  [['earer ', 'EARER '], /(?<=(?<![\w-])bearer {1,4})[\w.~+/=-]{12,}/gi],
]

/** Too short for a token, and without any sign that gives a value to a name. */
const PLAIN = /^(?=.{0,15}$)[\w.]*(?: [\w.]+)*$/

/** Where secrets are in a text, in order and apart from each other. */
export function secretSpans(text: string): readonly Span[] {
  if (PLAIN.test(text)) return []
  const spans = tokensIn(text, TOKENS)
  for (const [from, to] of tokensIn(text, DIGIT_TOKENS)) {
    if (/\d/.test(text.slice(from, to))) spans.push([from, to])
  }
  if (text.includes('://')) spans.push(...passwordsInUrls(text))
  if (text.includes('=') || text.includes(':')) spans.push(...assignedSecrets(text))
  if (text.includes('-')) spans.push(...flagSecrets(text))
  return spans.length > 1 ? merged(spans) : spans
}

function tokensIn(text: string, forms: readonly Form[]): Span[] {
  const spans: Span[] = []
  for (const [hints, pattern] of forms) {
    if (hints.some((hint) => text.includes(hint))) spans.push(...spansOf(text, pattern))
  }
  return spans
}

function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(
    text.matchAll(pattern),
    ({ index, 0: found }): Span => [index, index + found.length],
  )
}

const URL_ENDS = /[\s"'<>`|\\]/g
const AUTHORITY_ENDS = /[\s"'<>`|\\/?#]/g

/** `scheme://user:password@host`: the password, and a user that is no name but a token. */
function passwordsInUrls(text: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at)) {
    const from = at + 3
    let end = firstFrom(text, AUTHORITY_ENDS, from)
    let sign = text.slice(from, end).lastIndexOf('@')
    if (sign < 0 && /:(?!\d+$)./.test(text.slice(from, end))) {
      // Not a port, so it is a password that was not escaped.
      end = firstFrom(text, URL_ENDS, from)
      sign = text.slice(from, end).lastIndexOf('@')
    }
    if (sign >= 0) {
      const colon = text.slice(from, from + sign).indexOf(':')
      if (colon >= 0 && colon + 1 < sign) spans.push([from + colon + 1, from + sign])
      else if (colon < 0 && sign >= 20) spans.push([from, from + sign])
    }
    at = Math.max(end, from)
  }
  return spans
}

function firstFrom(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

const ASSIGNED = /(?<![\w.-])([A-Za-z_][\w.-]{0,79})(\\?["']?[ \t]{0,4}(?:=>|:=|[=:])[ \t]{0,4})/g

/** `password=…`, `"token": "…"`, `X-Api-Key: …`: what stands behind a name that holds secrets. */
function assignedSecrets(text: string): Span[] {
  return scan(text, ASSIGNED, ([, name = '', sign = ''], from) =>
    isSecretName(name) ? valueAt(text, from, { name, isLoose: !sign.includes('=') }) : undefined,
  )
}

interface Found {
  readonly span: Span
  readonly isSecret: boolean
}

// Looking again inside of what was looked at is fine for a few characters, and only for a few.
const LOOKED_AT_AGAIN = 200

function scan(
  text: string,
  pattern: RegExp,
  judge: (found: RegExpExecArray, from: number) => Found | undefined,
): Span[] {
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const { lastIndex: from } = pattern
    const value = judge(found, from)
    if (!value) continue
    const [start, end] = value.span
    if (value.isSecret) spans.push([start, end])
    if (value.isSecret || end - start > LOOKED_AT_AGAIN) pattern.lastIndex = end
  }
  return spans
}

interface Assigned {
  readonly name: string
  /** A colon is punctuation as well. */
  readonly isLoose: boolean
}

/** A mask, or a blank to be filled in. */
const BLANK = /(?:\[secret\]|<[^<>\n]{0,80}>|\$?\{\{[^{}\n]{0,80}\}\})(?=$|[\s"'`;,&)}\]\\])/y

function valueAt(text: string, from: number, { name, isLoose }: Assigned): Found {
  BLANK.lastIndex = from
  if (BLANK.test(text)) return { span: [from, BLANK.lastIndex], isSecret: false }
  const quote = /^\\?["'`]/.exec(text.slice(from, from + 2))?.[0]
  if (quote !== undefined) {
    const start = from + quote.length
    return judged(text, [start, quotedEnd(text, start, quote)])
  }
  if (isHeaderName(name)) return judged(text, [from, firstFrom(text, LINE_ENDS, from)])
  const end = firstFrom(text, isLoose ? LOOSE_ENDS : ENDS, from)
  const isSure = !isLoose || isLast(text, end) || /^(?=.{6}).*\d/.test(text.slice(from, end))
  return judged(text, [from, end], isSure)
}

function judged(text: string, [from, to]: Span, isSure = true): Found {
  const value = text.slice(from, to).trimEnd()
  const isSecret = isSure && value !== '' && !isReference(value)
  return { span: [from, from + value.length], isSecret }
}

const ENDS = /[\s"'`;&\\]/g
const LOOSE_ENDS = /[\s"'`;,&)}\]\\]/g
const LINE_ENDS = /[\r\n"'`\\]/g

/** The first quote of the same kind that is not escaped, else the end of the line. */
function quotedEnd(text: string, from: number, quote: string): number {
  for (let end = from; end < text.length; end += 1) {
    const char = text.charAt(end)
    if (text.startsWith(quote, end)) return end
    if (char === '\\') end += 1
    else if (char === '\n') return end
  }
  return text.length
}

/** Nothing follows that would make it a sentence. */
function isLast(text: string, end: number): boolean {
  return /^(?:$|[^ \t]|[ \t]{1,8}(?:$|[\r\n#}]))/.test(text.slice(end, end + 10))
}

const FLAG = /(?<![\w.-])--?([A-Za-z][\w.-]{0,79})(=|[ \t]{1,4})(?=[^\s-])/g

/** `--password hunter2`, as commands take it. */
function flagSecrets(text: string): Span[] {
  return scan(text, FLAG, ([, name = ''], from) =>
    isSecretName(name) ? valueAt(text, from, { name: 'flag', isLoose: false }) : undefined,
  )
}

const WORDS =
  /^(?:string|str|text|number|int|integer|boolean|bool|null|nil|none|undefined|true|false|any|unknown|required|optional)$/i

/** Says where the secret is instead of what it is: `$TOKEN`, `<password>`, `getToken()`. */
function isReference(value: string): boolean {
  return (
    /^\$(?:\{[A-Z_][A-Z0-9_]*\}|[A-Z_][A-Z0-9_]*|\(.*)$/.test(value) ||
    /^[*•x]+$/i.test(value) ||
    /^[A-Za-z_][\w.]{0,79}\(/.test(value) ||
    /^(?:process\.env|import\.meta\.env|os\.environ|env|self|this|config|secrets)[.[]/.test(
      value,
    ) ||
    WORDS.test(value)
  )
}

function merged(spans: readonly Span[]): readonly Span[] {
  const inOrder = spans.toSorted(([a], [b]) => a - b)
  const apart: Span[] = []
  for (const [from, to] of inOrder) {
    const last = apart.at(-1)
    if (last && from <= last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], to)]
    else apart.push([from, to])
  }
  return apart
}
