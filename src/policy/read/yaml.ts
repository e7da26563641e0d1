import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
} from 'yaml'
import type { Place } from '../document.ts'
import { MAX_MISTAKES, type Report, show } from './read-report.ts'
import { readText } from './read-text.ts'
import { MAX_DEPTH, type Tree, type TreeEntry, under } from './read-tree.ts'

/**
 * YAML 1.2 core without the parts that surprise: no anchors and aliases, so nothing expands; no
 * tags, no merge keys, no directives; one document, one value for each key, every key a text.
 * Undefined when there is no tree worth reading on; what is wrong is in the report either way.
 */
export function readYaml(
  file: string,
  source: string | Uint8Array,
  report: Report,
): Tree | undefined {
  const text = readText(file, source, report)
  if (text === undefined) return undefined
  const lines = new LineCounter()
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const document = parse(text, lines, at, report)
  if (!document) return undefined
  const root = document.contents && convert(document.contents, '', { at, report })
  if (!root || (root.kind === 'scalar' && root.value === null && root.source === '')) {
    report.mistake(
      at(0),
      '',
      'empty_file',
      `${emptiness(text, root)}; start it with \`version: 1\``,
    )
    return undefined
  }
  return root
}

function emptiness(text: string, root: Tree | null): string {
  if (root) return 'the file holds nothing after its first marker'
  if (text.trim() !== '') return 'the file holds only comments'
  return text === '' ? 'the file is empty' : 'the file holds only blank lines'
}

function parse(
  text: string,
  lines: LineCounter,
  at: (offset: number) => Place,
  report: Report,
): Document.Parsed | undefined {
  try {
    const tokens = tokenize(text, lines, at, report)
    return tokens && compose(tokens, text, at, report)
  } catch {
    // No text known makes the parser throw. Should one be found, it is not YAML either.
    report.mistake(at(0), '', 'yaml', 'this is not YAML')
    return undefined
  }
}

function tokenize(
  text: string,
  lines: LineCounter,
  at: (offset: number) => Place,
  report: Report,
): CST.Token[] | undefined {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  lines.addNewLine(0)
  let slips = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      if (token.type === 'error') slips += 1
    }
    // What follows would only be more of the same.
    if (slips >= MOST_SLIPS) break
    // Each level of nesting is one open token, beside the document itself.
    if (parser.stack.length > MAX_DEPTH + 2) {
      const problem = `the file is nested more than ${MAX_DEPTH} levels deep`
      report.mistake(at(parser.offset), '', 'too_deep', problem)
      return undefined
    }
  }
  tokens.push(...parser.end())
  const directive = tokens.find(({ type }) => type === 'directive')
  if (directive) {
    const [word] = text.slice(directive.offset).split(/\s/, 1)
    const problem = `the directive ${word} is not read; a policy is plain YAML 1.2`
    report.mistake(at(directive.offset), '', 'directive', problem)
    return undefined
  }
  const second = tokens.filter(({ type }) => type === 'document')[1]
  if (second) {
    const problem = 'a second document starts here; a policy file holds one'
    report.mistake(at(second.offset), '', 'second_document', problem)
    return undefined
  }
  return tokens
}

function compose(
  tokens: CST.Token[],
  text: string,
  at: (offset: number) => Place,
  report: Report,
): Document.Parsed | undefined {
  // Duplicate keys are found below, by a Map: the parser's own search compares each with each.
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const slips = stopAfter(composer, MOST_SLIPS)
  let document: Document.Parsed | undefined
  try {
    document = composer.compose(tokens, true, text.length).next().value ?? undefined
  } catch (error) {
    if (error !== ENOUGH) throw error
    report.mistake(
      at(slips[MOST_SLIPS - 1]?.pos[0] ?? 0),
      '',
      'yaml',
      'so much here is not YAML that reading stops',
    )
  }
  const errors = document?.errors ?? slips.slice(0, MAX_MISTAKES - 1)
  if (errors.length === 0) return document
  // One slip makes the parser stumble several times over the same spot.
  const reported = new Set<number>()
  for (const { code, pos, message } of errors) {
    if (reported.has(pos[0])) continue
    reported.add(pos[0])
    const known = SYNTAX.find(([name, part]) => name === code && message.includes(part))
    report.mistake(at(pos[0]), '', 'yaml', known?.[2] ?? `this is not YAML: ${message}`)
  }
  return undefined
}

type Slip = Pick<Document.Parsed['errors'][number], 'code' | 'pos' | 'message'>

/** More than a person reads, and few enough to be found at once. */
const MOST_SLIPS = 1_000
const ENOUGH = new Error('enough')

/**
 * The parser goes on to the end whatever it meets, and a file of nothing but mistakes would keep it
 * busy for many seconds. It has no setting for that, so its error callback stops it.
 */
function stopAfter(composer: Composer, most: number): readonly Slip[] {
  const inner = composer as unknown as {
    onError: (
      source: number | number[] | { offset: number },
      ...said: [Slip['code'], string]
    ) => void
  }
  const slips: Slip[] = []
  const { onError } = inner
  inner.onError = (source, code, message, ...more) => {
    const offset =
      typeof source === 'number' ? source : 'offset' in source ? source.offset : (source[0] ?? 0)
    if (slips.length < most) slips.push({ code, message, pos: [offset, offset + 1] })
    if (slips.length === most) throw ENOUGH
    onError(source, code, message, ...more)
  }
  return slips
}

const NO_ALIAS = 'anchors and aliases are not read; write the value out, and put "*" in quotes'
const NO_TAG = 'tags such as !!binary or !name are not read; write the plain value'

/** The parser's code, a part of its message, and what to say instead. */
const SYNTAX: readonly (readonly [code: string, part: string, sentence: string])[] = [
  ['TAB_AS_INDENT', '', 'a tab is used to indent; YAML indents with spaces'],
  ['BAD_INDENT', 'end with a }', 'a { is opened and never closed'],
  ['BAD_INDENT', 'end with a ]', 'a [ is opened and never closed'],
  ['MISSING_CHAR', 'end with a }', 'a { is opened and never closed'],
  ['MISSING_CHAR', 'end with a ]', 'a [ is opened and never closed'],
  ['MISSING_CHAR', 'closing "quote', 'a double quote is opened and never closed'],
  ['MISSING_CHAR', "closing 'quote", 'a single quote is opened and never closed'],
  ['MISSING_CHAR', 'followed by map values', 'a key without a colon after it'],
  ['BAD_INDENT', 'sequence items', 'the items of a list do not start in the same column'],
  ['BAD_INDENT', '', 'the indentation does not fit the lines above'],
  ['BAD_DQ_ESCAPE', '', 'the backslash starts no escape; write two, or use single quotes'],
  ['BAD_ALIAS', '', NO_ALIAS],
  ['ALIAS_PROPS', '', NO_ALIAS],
  ['MULTIPLE_ANCHORS', '', NO_ALIAS],
  ['BLOCK_AS_IMPLICIT_KEY', 'sequence', 'a list item stands where a key is expected'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    '',
    'a second `key:` in one line; give it its own line, or quote the text',
  ],
  ['MULTILINE_IMPLICIT_KEY', '', 'a key without a colon after it, or one over several lines'],
  ['KEY_OVER_1024_CHARS', '', 'a key is longer than 1,024 characters'],
  ['TAG_RESOLVE_FAILED', '', NO_TAG],
  ['MULTIPLE_TAGS', '', NO_TAG],
  ['BLOCK_IN_FLOW', '', 'a comma is missing here, or a [ or { above is not closed'],
  ['BAD_SCALAR_START', '', 'a text cannot start with this character; put it in quotes'],
  ['UNEXPECTED_TOKEN', 'flow-', 'a ] or } stands here that closes nothing'],
  ['UNEXPECTED_TOKEN', 'at node end', 'something stands after a value that is already complete'],
]

interface Around {
  readonly at: (offset: number) => Place
  readonly report: Report
}

function convert(node: Node, path: string, around: Around): Tree {
  const place = around.at(node.range?.[0] ?? 0)
  if (isAlias(node)) {
    const problem = `the alias *${node.source} is not followed; write the value out, or quote it if the * is meant`
    around.report.mistake(place, path, 'alias', problem)
    return { kind: 'broken', place }
  }
  noteAnchor(node, place, path, around)
  if (node.tag !== undefined) {
    around.report.mistake(place, path, 'tag', NO_TAG)
    return { kind: 'broken', place }
  }
  if (isMap(node)) return { kind: 'map', place, entries: convertEntries(node.items, path, around) }
  if (isSeq(node)) {
    const items = node.items.map((item, index) => {
      const inner = under(path, index)
      return isNode(item) ? convert(item, inner, around) : ({ kind: 'broken', place } as const)
    })
    return { kind: 'list', place, items }
  }
  return convertScalar(node, place, path, around)
}

function noteAnchor(node: Node, place: Place, path: string, { report }: Around): void {
  if (isAlias(node) || node.anchor === undefined) return
  const problem = `the anchor &${node.anchor} is not read; write values out where they are needed`
  report.mistake(place, path, 'anchor', problem)
}

function convertScalar(scalar: Scalar, place: Place, path: string, { report }: Around): Tree {
  const { value, source = '' } = scalar
  switch (typeof value) {
    case 'string':
      if (value.isWellFormed()) return { kind: 'scalar', place, value, source }
      report.mistake(place, path, 'invalid_unicode', 'the text holds half of a surrogate pair')
      return { kind: 'broken', place }
    case 'number':
    case 'boolean':
      return { kind: 'scalar', place, value, source }
    default:
      return { kind: 'scalar', place, value: null, source }
  }
}

function convertEntries(
  pairs: readonly Pair<unknown, unknown>[],
  path: string,
  around: Around,
): TreeEntry[] {
  const seen = new Map<string, Place>()
  const entries: TreeEntry[] = []
  for (const { key, value } of pairs) {
    const name = convertKey(key, path, around)
    if (!name) continue
    const inner = under(path, name.key)
    const earlier = seen.get(name.key)
    if (earlier) {
      const problem = `\`${name.key}\` is already written in line ${earlier.line}; each key stands once`
      around.report.mistake(name.place, inner, 'duplicate_key', problem)
      continue
    }
    seen.set(name.key, name.place)
    const tree: Tree = isNode(value)
      ? convert(value, inner, around)
      : { kind: 'scalar', place: name.place, value: null, source: '' }
    // Nothing stands after the colon, so the key is the place to look at.
    const empty = tree.kind === 'scalar' && tree.value === null && tree.source === ''
    entries.push({ ...name, value: empty ? { ...tree, place: name.place } : tree })
  }
  return entries
}

function convertKey(
  key: unknown,
  path: string,
  around: Around,
): { key: string; place: Place } | undefined {
  if (!isNode(key)) return undefined
  const { report } = around
  const place = around.at(key.range?.[0] ?? 0)
  if (!isScalar(key)) {
    report.mistake(place, path, 'key_not_text', 'a key is text, not a list, a map or an alias')
    return undefined
  }
  noteAnchor(key, place, path, around)
  if (key.tag !== undefined) {
    report.mistake(place, path, 'tag', NO_TAG)
    return undefined
  }
  if (key.value === '<<' && key.type === 'PLAIN') {
    report.mistake(
      place,
      under(path, '<<'),
      'merge_key',
      'merge keys are not read; write the keys out',
    )
    return undefined
  }
  if (typeof key.value !== 'string' || !key.value.isWellFormed()) {
    const problem = key.source
      ? `the key ${show(key.source)} is read as ${key.value === null ? 'null' : `a ${typeof key.value}`}; put it in quotes`
      : 'a key is missing before the colon'
    report.mistake(place, path, 'key_not_text', problem)
    return undefined
  }
  return { key: key.value, place }
}
