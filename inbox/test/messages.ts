/** What the sources of the inbox say to people: every message, and every text that is none. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'

const repo = path.resolve(import.meta.dirname, '../..')

/** The page, and the modules whose sentences browser and terminal share. */
const ROOTS = ['inbox/src', 'src/base', 'src/api']

/** Functions that say something, and which arguments are the text; the last is the id. */
const SAYERS: Readonly<Record<string, readonly number[]>> = {
  t: [0],
  rich: [0],
  msg: [0],
  plural: [1, 2],
  'tell.text': [0],
  'tell.plural': [1, 2],
  Unreachable: [0],
}

/** Attributes that people read or hear. */
const READ = new Set(
  'aria-label aria-description title placeholder alt label says word send of about any question deed keep first text back hint'.split(
    ' ',
  ),
)

/** Their text is a key, a command or an address, and the same in every language. */
const VERBATIM = new Set(['code', 'pre', 'kbd', 'KeyCap'])

/** An example that is no words: an address, a command, a name of a variable. */
const EXAMPLE = /^(?:https?:|npx |[A-Z_]+$|[a-z]+(?:[-_.@][a-z]+)*$)/

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

export interface Message {
  readonly text: string
  readonly file: string
  readonly isPlural: boolean
}

export interface Source {
  readonly file: string
  readonly text: string
}

export const sources: readonly Source[] = ROOTS.flatMap((root) =>
  readdirSync(path.join(repo, root), { recursive: true, encoding: 'utf8' })
    .map((name) => `${root}/${name.split(path.sep).join('/')}`)
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((file) => ({ file, text: readFileSync(path.join(repo, file), 'utf8') })),
)

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)

const parsed = ({ file, text }: Source): Node =>
  parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node

/** The text of a literal; undefined for anything else. */
function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  const quasis = node.type === 'TemplateLiteral' ? (node.quasis as readonly Node[]) : []
  const [only] = quasis
  return quasis.length === 1 && only !== undefined
    ? (only.value as { cooked: string }).cooked
    : undefined
}

const nameOf = (node: unknown): string => (isNode(node) ? String(node.name ?? '') : '')

/** `t` of `t(…)`, `tell.text` of `tell.text(…)`, `Unreachable` of `new Unreachable(…)`. */
function sayerOf({ type, callee }: Node): string {
  if (!isNode(callee) || !/^(?:Call|New)Expression$/.test(type)) return ''
  return callee.type === 'MemberExpression'
    ? `${nameOf(callee.object)}.${nameOf(callee.property)}`
    : nameOf(callee)
}

/** Every message of a source, and every call that has something else than a text in its place. */
export function messagesIn(source: Source): {
  readonly messages: readonly Message[]
  readonly problems: readonly string[]
} {
  const messages: Message[] = []
  const problems: string[] = []
  const visit = (node: Node) => {
    const sayer = sayerOf(node)
    if (Object.hasOwn(SAYERS, sayer)) {
      const texts = (SAYERS[sayer] ?? []).map((at) => literal((node.arguments as Node[])[at]))
      const text = texts.at(-1)
      if (text === undefined || texts.includes(undefined)) {
        problems.push(`${source.file}: ${sayer}() without a text`)
      } else messages.push({ text, file: source.file, isPlural: /plural$/.test(sayer) })
    }
    for (const child of childrenOf(node)) visit(child)
  }
  if (/\b(?:t|rich|msg|plural|Unreachable)\(|\btell\./.test(source.text)) visit(parsed(source))
  return { messages, problems }
}

const hasWords = (text: string) => /\p{L}{2}/u.test(text)

/** Texts in what is drawn that are not said through the catalogue. */
export function bareTexts(source: Source): readonly string[] {
  const found: string[] = []
  const note = (text: string) => found.push(`${source.file}: ${text.trim().replace(/\s+/g, ' ')}`)

  /** Of an expression: what it can come to as text, without what it is computed from. */
  const inExpression = (node: Node | undefined): void => {
    if (node === undefined) return
    const text = literal(node)
    if (text !== undefined) {
      if (hasWords(text)) note(text)
      return
    }
    if (node.type === 'TemplateLiteral') {
      const words = (node.quasis as readonly Node[]).map(
        ({ value }) => (value as { cooked: string }).cooked,
      )
      if (hasWords(words.join(' '))) note(words.join('…'))
      for (const part of node.expressions as Node[]) inExpression(part)
    } else if (node.type === 'ConditionalExpression') {
      inExpression(node.consequent as Node)
      inExpression(node.alternate as Node)
    } else if (node.type === 'LogicalExpression') {
      if (node.operator !== '&&') inExpression(node.left as Node)
      inExpression(node.right as Node)
    } else if (/^(?:TS\w+|Parenthesized)Expression$/.test(node.type)) {
      inExpression(node.expression as Node)
    }
  }
  const visit = (node: Node) => {
    const opening = node.type === 'JSXElement' ? (node.openingElement as Node) : undefined
    if (opening !== undefined && VERBATIM.has(nameOf(opening.name))) return
    if (node.type === 'JSXText' && hasWords(String(node.value))) note(String(node.value))
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      for (const child of node.children as Node[]) {
        if (child.type === 'JSXExpressionContainer') inExpression(child.expression as Node)
      }
    }
    if (node.type === 'JSXAttribute' && READ.has(nameOf(node.name))) {
      const value = node.value as Node | undefined
      const text = literal(value)
      if (text !== undefined) {
        if (hasWords(text) && !EXAMPLE.test(text)) note(text)
      } else if (value?.type === 'JSXExpressionContainer') inExpression(value.expression as Node)
    }
    for (const child of childrenOf(node)) visit(child)
  }
  if (source.file.endsWith('x')) visit(parsed(source))
  return found
}
