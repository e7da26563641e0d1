import {
  type Document,
  isMap,
  isScalar,
  parseDocument,
  Scalar,
  type ToStringOptions,
  visit,
  type YAMLMap,
} from 'yaml'
import { CountersignError } from '../../base/errors.ts'

/** An owner's file, open for a change. Comments and order belong to the people who wrote it. */
export interface OpenPolicy {
  readonly document: Document.Parsed
  readonly root: YAMLMap
  /** The text afterwards. */
  close(): string
}

export const NEW_POLICY = 'version: 1\n'

export function openPolicy(text: string): OpenPolicy {
  const document = parseDocument(text.trim() === '' ? NEW_POLICY : text)
  const root = document.contents
  if (document.errors.length > 0 || !isMap(root)) throw byHand()
  // Agent Format files have another shape, and their own tools write them.
  if (root.has('schema_version') || root.has('action_space')) throw byHand()
  const style = styleOf(document, text)
  const before = document.toString(style)
  return {
    document,
    root: root as unknown as YAMLMap,
    close() {
      const next = spliced(text.replaceAll('\r\n', '\n'), before, document.toString(style))
      return text.includes('\r\n') ? next.replaceAll('\n', '\r\n') : next
    },
  }
}

/**
 * The text with the lines that changed between two renderings of it. A rendering has spaces of its
 * own; where its lines stand one to one for those of the text, all others stay as they were typed.
 */
function spliced(text: string, before: string, after: string): string {
  const [typed, old, now] = [text, before, after].map((one) => one.split('\n'))
  if (!typed || !old || !now || typed.length !== old.length) return after
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  const most = Math.min(old.length, now.length) - head
  while (tail < most && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  return [
    ...typed.slice(0, head),
    ...now.slice(head, now.length - tail),
    ...typed.slice(typed.length - tail),
  ].join('\n')
}

/** Lines are never folded: a value that is broken in two cannot be searched for. */
const PLAIN: ToStringOptions = {
  lineWidth: 0,
  minContentWidth: 0,
  doubleQuotedMinMultiLineLength: 1_000_000,
}

const STYLES: readonly ToStringOptions[] = [2, 4].flatMap((indent) =>
  [true, false].flatMap((indentSeq) =>
    [true, false].map((flowCollectionPadding) => ({
      ...PLAIN,
      indent,
      indentSeq,
      flowCollectionPadding,
    })),
  ),
)

/** How the file is written: what changes least of it when nothing is changed. */
function styleOf(document: Document.Parsed, text: string): ToStringOptions {
  const lines = new Set(text.split(/\r?\n/))
  const strange = STYLES.map((style) => {
    const written = document.toString(style).split('\n')
    return written.filter((line) => !lines.has(line)).length
  })
  return STYLES[strange.indexOf(Math.min(...strange))] ?? PLAIN
}

/** Sets a member unless it says the same already: then its comments and spelling stay. */
export function put(open: OpenPolicy, map: YAMLMap, key: string, value: unknown): void {
  if (value === undefined) {
    map.delete(key)
    return
  }
  const found = map.get(key, true) as { toJS?(document: Document): unknown } | undefined
  if (found?.toJS && isSame(found.toJS(open.document), value)) return
  map.set(key, nodeOf(open, value))
}

/** Texts are always quoted: what an agent chose never reads as anything but a text. */
export function nodeOf({ document }: OpenPolicy, value: unknown): unknown {
  const node = document.createNode(value)
  visit(node as never, {
    Scalar(at, scalar) {
      if (at !== 'key' && typeof scalar.value === 'string') scalar.type = Scalar.QUOTE_DOUBLE
    },
    Seq(_, seq) {
      if (seq.items.every((item) => isScalar(item))) seq.flow = true
    },
  })
  return node
}

export function isSame(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two)
}

/** What a text says, as plain values; refuses what cannot be read. */
export function plainPolicy(text: string): Record<string, unknown> {
  const document = parseDocument(text)
  if (document.errors.length > 0) throw byHand()
  return (document.toJS() ?? {}) as Record<string, unknown>
}

export function byHand(): CountersignError {
  return new CountersignError('usage', 'the policy file is not written in a way this can change', {
    hint: 'Change the file yourself; what it says comes into force when it is applied.',
  })
}
