/**
 * SQL cut into words, texts, comments and the rest: for colour, and to find the words that write.
 * Databases disagree about where a text or a comment ends, so a word inside one is reported as well.
 */
export type SqlKind = 'keyword' | 'writes' | 'text' | 'number' | 'comment' | 'plain'

export interface SqlToken {
  readonly kind: SqlKind
  readonly text: string
}

const WORDS = new Set(
  `select from where and or not in is null like ilike between exists case when then else end as on
   join inner left right full outer cross natural using group by having order asc desc limit offset
   fetch union all intersect except distinct with recursive values set returning begin commit
   rollback transaction primary key foreign references table index view if cascade default true
   false over partition explain analyze show describe use lateral any some for`.split(/\s+/),
)

const WRITES = new Set(
  `insert update delete merge replace upsert truncate drop alter create grant revoke rename copy load
   call exec execute do into attach detach vacuum reindex import install kill shutdown`.split(
    /\s+/,
  ),
)

/** What may stand before a statement. One at a time: as one pattern, each comment could end in many places. */
const BEFORE = /[\s(]+|--[^\n]*|\/\*[\s\S]*?\*\//y
const FIRST = /[a-z]+\b/iy
const OPENS = new Set([...WRITES, 'select', 'with', 'explain', 'values', 'begin', 'set', 'show'])

const TOKEN =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\$(?<tag>[A-Za-z_]*)\$[\s\S]*?(?:\$\k<tag>\$|$))|(?<word>[\p{L}_][\p{L}\p{M}\p{N}_$]*(?:\.[\p{L}\p{M}\p{N}_$]+)*)|(?<number>\d[\p{L}\p{M}\p{N}_.]*)/gu

/** Whether a text begins as a statement does. */
export function looksLikeSql(text: string): boolean {
  BEFORE.lastIndex = 0
  let at = 0
  while (BEFORE.test(text)) at = BEFORE.lastIndex
  FIRST.lastIndex = at
  const [word = ''] = FIRST.exec(text) ?? []
  return OPENS.has(word.toLowerCase())
}

/** Every character is in exactly one token, in its order. */
export function sqlTokens(text: string): readonly SqlToken[] {
  const tokens: SqlToken[] = []
  let done = 0
  for (const { 0: found, index, groups } of text.matchAll(TOKEN)) {
    const kind = kindOf(found, groups ?? {}, text[index + found.length])
    if (kind === 'plain') continue
    if (index > done) tokens.push({ kind: 'plain', text: text.slice(done, index) })
    tokens.push({ kind, text: found })
    done = index + found.length
  }
  if (done < text.length) tokens.push({ kind: 'plain', text: text.slice(done) })
  return tokens
}

function kindOf(
  found: string,
  { comment, text, word, number }: Readonly<Record<string, string | undefined>>,
  next: string | undefined,
): SqlKind {
  if (comment !== undefined) return 'comment'
  if (text !== undefined) return 'text'
  if (number !== undefined) return 'number'
  if (word === undefined) return 'plain'
  const lower = found.toLowerCase()
  // replace(…) is a function that changes a text, not a row.
  if (WRITES.has(lower) && !(lower === 'replace' && next === '(')) return 'writes'
  return WORDS.has(lower) ? 'keyword' : 'plain'
}

export interface SqlWriting {
  readonly word: string
  readonly line: number
}

/** The words that write, where they stand, and those that only seem to be inside something. */
export function sqlWriting(tokens: readonly SqlToken[]): {
  readonly plain: readonly SqlWriting[]
  readonly inside: readonly SqlWriting[]
} {
  const plain: SqlWriting[] = []
  const inside: SqlWriting[] = []
  let line = 1
  for (const { kind, text } of tokens) {
    if (kind === 'writes') plain.push({ word: text.toUpperCase(), line })
    if (kind === 'text' || kind === 'comment') {
      let [from, here] = [0, line]
      for (const { 0: word, index } of text.matchAll(/[A-Za-z]+/g)) {
        if (!WRITES.has(word.toLowerCase())) continue
        here += countLines(text.slice(from, index))
        from = index
        inside.push({ word: word.toUpperCase(), line: here })
      }
    }
    line += countLines(text)
  }
  return { plain, inside }
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}
