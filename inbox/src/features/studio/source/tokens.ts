/*
 * JavaScript and TypeScript, cut into what is coloured alike. It never fails: what it does not
 * understand is plain, and nothing but colours and bracket pairs depends on it.
 */

export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'bracket' | 'plain'

export interface Token {
  readonly kind: TokenKind
  readonly from: number
  readonly to: number
}

const KEYWORDS: ReadonlySet<string> = new Set(
  `as async await break case catch class const continue default delete do else export extends false
   finally for from function if import in instanceof interface let new null of return satisfies
   static super switch this throw true try type typeof undefined var void while yield`.split(/\s+/),
)

/** After one of these a slash begins a regular expression. */
const BEFORE_VALUE: ReadonlySet<string> = new Set(
  'await case delete do else in instanceof of return throw typeof void yield'.split(' '),
)

const PIECE =
  /(?<space>\s+)|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?)|(?<number>(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?)n?)|(?<word>[\p{ID_Start}$_][\p{ID_Continue}$]*)|(?<bracket>[()[\]{}])/uy
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/uy
const REGULAR =
  /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*\/[a-z]*/uy

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  /** Open braces inside each `${…}` that is open. */
  const templates: number[] = []
  let isValueBefore = false
  let at = 0

  function push(kind: TokenKind, to: number) {
    const last = tokens.at(-1)
    if (kind === 'plain' && last?.kind === 'plain') tokens[tokens.length - 1] = { ...last, to }
    else tokens.push({ kind, from: at, to })
    at = to
  }
  function found(pattern: RegExp, from = at): RegExpExecArray | null {
    pattern.lastIndex = from
    return pattern.exec(source)
  }
  /** To its end, or to the next `${`. Its first character is a backtick, or follows a `}`. */
  function template(isStart: boolean) {
    const from = at + (isStart ? 1 : 0)
    const text = found(TEMPLATE, from)?.[0] ?? ''
    const isHole = text.endsWith('${')
    const to = from + text.length - (isHole ? 2 : 0)
    if (to > at) push('string', to)
    if (isHole) {
      push('bracket', to + 2)
      templates.push(0)
    }
    isValueBefore = !isHole
  }
  function bracket(char: string) {
    const open = templates.at(-1)
    push('bracket', at + 1)
    isValueBefore = ')]}'.includes(char)
    if (open === undefined || !'{}'.includes(char)) return
    if (char === '}' && open === 0) {
      templates.pop()
      template(false)
    } else templates[templates.length - 1] = open + (char === '{' ? 1 : -1)
  }
  function word(text: string) {
    // A name after a dot is a name.
    const isKeyword = KEYWORDS.has(text) && source[at - 1] !== '.'
    push(isKeyword ? 'keyword' : 'plain', at + text.length)
    isValueBefore = !(isKeyword && BEFORE_VALUE.has(text))
  }

  while (at < source.length) {
    const regular = source[at] === '/' && !isValueBefore ? found(REGULAR) : null
    const { groups = {} } = found(PIECE) ?? {}
    const value = regular?.[0] ?? groups.string ?? groups.number
    if (groups.space !== undefined) push('plain', at + groups.space.length)
    else if (groups.comment !== undefined) push('comment', at + groups.comment.length)
    else if (value !== undefined) {
      push(groups.number === undefined ? 'string' : 'number', at + value.length)
      isValueBefore = true
    } else if (groups.word !== undefined) word(groups.word)
    else if (groups.bracket !== undefined) bracket(groups.bracket)
    else if (source[at] === '`') template(true)
    else {
      push('plain', at + String.fromCodePoint(source.codePointAt(at) ?? 0).length)
      isValueBefore = false
    }
  }
  return tokens
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Where the bracket beside the caret and its partner stand; undefined where there is no pair. */
export function pairAt(
  source: string,
  tokens: readonly Token[],
  caret: number,
): readonly [number, number] | undefined {
  const open: { readonly char: string; readonly at: number }[] = []
  let found: readonly [number, number] | undefined
  for (const { kind, to } of tokens) {
    if (kind !== 'bracket') continue
    const [char, at] = [source[to - 1] ?? '', to - 1]
    const partner = PAIRS[char]
    if (partner === undefined) {
      open.push({ char, at })
      continue
    }
    const before = open.pop()
    // What stands after a mismatch has no partner that could be named.
    if (before?.char !== partner) return found
    const beside = [before.at, at].filter((one) => one === caret || one + 1 === caret)
    // The one before the caret wins: it was typed last.
    if (beside.some((one) => one + 1 === caret)) return [before.at, at]
    if (beside.length > 0) found ??= [before.at, at]
  }
  return found
}

/** The tokens of each line, cut at its ends. */
export function linesOf(source: string, tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]]
  for (const { kind, from, to } of tokens) {
    let start = from
    for (let end = source.indexOf('\n', start); end !== -1 && end < to; ) {
      if (end > start) lines.at(-1)?.push({ kind, from: start, to: end })
      lines.push([])
      start = end + 1
      end = source.indexOf('\n', start)
    }
    if (to > start) lines.at(-1)?.push({ kind, from: start, to })
  }
  return lines
}
