/**
 * Words and domains that imitate others: letters of two alphabets in one word, letters in fancy
 * dress, and names written wholly in an alphabet whose letters look Latin.
 */

export interface LookAlike {
  readonly kind: 'domain' | 'word'
  readonly text: string
  /** `Latin and Cyrillic`, `Cyrillic`, `styled letters`. */
  readonly alphabets: string
  readonly odd: readonly { readonly at: number; readonly char: string }[]
  /** For a domain: the name that computers use, in plain letters. */
  readonly real?: string
}

/** Alphabets whose letters can stand in for those of another. Mixing others is how people write. */
const ALPHABETS: readonly (readonly [name: string, letters: RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
]

const LOOKS_LATIN = new Set('аеорсухіјѕԁӏһԛԝьвкмнтгпԍʏοανυκρτιхωѵ')

const WORD = /[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*/gu
const DOMAIN = /\.[\p{L}\p{M}\p{N}-]*\p{L}{2,}$/u
const PLAIN = /^[\x20-\x7e\s]*$/

export function findLookAlikes(text: string): readonly LookAlike[] {
  if (PLAIN.test(text)) return []
  const found: LookAlike[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (PLAIN.test(word)) continue
    const one = judge(word, index)
    if (one !== undefined) found.push(one)
  }
  return found
}

function judge(word: string, start: number): LookAlike | undefined {
  const letters = lettersOf(word, start)
  const alphabets = [...new Set(letters.flatMap(({ alphabet }) => alphabet ?? []))]
  const styled = letters.filter(({ char }) => isStyled(char))
  const isDomain = DOMAIN.test(word)
  const real = isDomain ? plainName(word) : undefined
  const rest = { text: word, ...(real === undefined ? {} : { real }) }
  const kind = isDomain ? ('domain' as const) : ('word' as const)

  if (alphabets.length > 1 && labelsMix(word)) {
    const odd = letters.filter(({ alphabet }) => alphabet !== undefined && alphabet !== 'Latin')
    return { ...rest, kind, alphabets: listed(alphabets), odd: odd.length > 0 ? odd : letters }
  }
  if (styled.length > 0) return { ...rest, kind, alphabets: 'styled letters', odd: styled }
  if (!isDomain || real === undefined || real === word) return undefined
  const foreign = letters.filter(({ char }) => char > '\x7f')
  const imitates = foreign.every(({ char }) => LOOKS_LATIN.has(char.toLowerCase()))
  const alphabet = foreign[0]?.alphabet
  if (!imitates || alphabet === undefined || alphabet === 'Latin') return undefined
  return { ...rest, kind, alphabets: alphabet, odd: foreign }
}

/** `пример.com` is an honest name; `exаmple.com` is not. So each label is looked at by itself. */
function labelsMix(word: string): boolean {
  return word
    .split(/[.\-_]/)
    .some((label) => ALPHABETS.filter(([, letters]) => letters.test(label)).length > 1)
}

function lettersOf(word: string, start: number) {
  let at = start
  return [...word].map((char) => {
    const letter = { char, at, alphabet: alphabetOf(char) }
    at += char.length
    return letter
  })
}

function alphabetOf(char: string): string | undefined {
  return ALPHABETS.find(([, letters]) => letters.test(char))?.[0]
}

/** Fullwidth and mathematical letters: other characters that read as plain ones. */
function isStyled(char: string): boolean {
  return char > '\x7f' && /^[A-Za-z0-9]$/.test(char.normalize('NFKC'))
}

function listed(names: readonly string[]): string {
  return names.length === 1
    ? (names[0] ?? '')
    : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** `xn--…`: what the name resolves to. */
export function plainName(domain: string): string | undefined {
  try {
    return new URL(`http://${domain}`).hostname
  } catch {
    return undefined
  }
}
