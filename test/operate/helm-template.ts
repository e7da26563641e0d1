import { createHash } from 'node:crypto'
import { stringify } from 'yaml'

/*
 * As much of Helm's templates as deploy/helm uses, and no more: a word that is not here is an error.
 * It is not Helm. It shows that the templates give the manifests that were tried.
 */

type Value = unknown
type Variables = Readonly<Record<string, Value>>

interface Block {
  readonly kind: 'text' | 'action' | 'if' | 'with' | 'range'
  readonly text: string
  readonly body: readonly Block[]
}

interface World {
  readonly definitions: Map<string, readonly Block[]>
  readonly files: (name: string) => string
}

const ACTION = /(\s*)\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}(\s*)/g

/** Text and actions, with the space gone that `{{-` and `-}}` take away. */
function tokens(source: string): { readonly isAction: boolean; readonly text: string }[] {
  const all: { isAction: boolean; text: string }[] = []
  let at = 0
  ACTION.lastIndex = 0
  for (let match = ACTION.exec(source); match; match = ACTION.exec(source)) {
    const [whole, before = '', left, inner = '', right, after = ''] = match
    all.push({ isAction: false, text: source.slice(at, match.index) + (left ? '' : before) })
    all.push({ isAction: true, text: inner })
    at = match.index + whole.length - (right ? 0 : after.length)
    ACTION.lastIndex = at
  }
  all.push({ isAction: false, text: source.slice(at) })
  return all
}

function parsed(source: string, definitions: World['definitions']): readonly Block[] {
  const rest = tokens(source)
  function blocks(isInside: boolean): Block[] {
    const found: Block[] = []
    for (let token = rest.shift(); token; token = rest.shift()) {
      const { isAction, text } = token
      const [word = ''] = text.split(/\s/)
      if (!isAction) found.push({ kind: 'text', text, body: [] })
      else if (text === 'end') {
        if (!isInside) throw new Error('end without a beginning')
        return found
      } else if (word === 'define') {
        definitions.set(JSON.parse(text.slice(6)) as string, blocks(true))
      } else if (word === 'if' || word === 'with' || word === 'range') {
        found.push({ kind: word, text: text.slice(word.length).trim(), body: blocks(true) })
      } else found.push({ kind: 'action', text, body: [] })
    }
    if (isInside) throw new Error('no end')
    return found
  }
  return blocks(false)
}

function isTrue(value: Value): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

function show(value: Value): string {
  if (value === undefined || value === null) throw new Error('a value that is not there')
  return String(value)
}

function yaml(value: Value): string {
  return stringify(value, { lineWidth: 0, sortMapEntries: true }).trimEnd()
}

function evaluated(pipeline: string, dot: Value, variables: Variables, world: World): Value {
  return pipeline
    .split('|')
    .map((command) => command.trim().match(/"[^"]*"|\S+/g) ?? [])
    .reduce<{ readonly value?: Value }>((last, [head = '', ...words]) => {
      const args: Value[] = words.map((word) => operand(word, dot, variables))
      if ('value' in last) args.push(last.value)
      return { value: applied(head, args, { dot, variables, world }) }
    }, {}).value
}

function applied(
  head: string,
  args: readonly Value[],
  { dot, variables, world }: { dot: Value; variables: Variables; world: World },
): Value {
  const [first, second] = args
  switch (head) {
    case 'include': {
      const blocks = world.definitions.get(show(first))
      if (!blocks) throw new Error(`no definition ${first}`)
      return rendered(blocks, second, {}, world)
    }
    case 'toYaml':
      return yaml(first)
    case 'nindent':
      return `\n${show(second)}`.replaceAll('\n', `\n${' '.repeat(Number(first))}`)
    case 'quote':
      return JSON.stringify(show(first))
    case 'default':
      return isTrue(second) ? second : first
    case 'sha256sum':
      return createHash('sha256').update(show(first)).digest('hex')
    case '.Files.Get':
      return world.files(show(first))
    default:
      if (args.length > 0) throw new Error(`unknown function ${head}`)
      return operand(head, dot, variables)
  }
}

function operand(word: string, dot: Value, variables: Variables): Value {
  if (/^"|^\d+$/.test(word)) return JSON.parse(word)
  if (word === '.') return dot
  if (word.startsWith('$')) return variables[word.slice(1)]
  if (!/^(?:\.\w+)+$/.test(word)) throw new Error(`unknown word ${word}`)
  return word
    .slice(1)
    .split('.')
    .reduce<Value>((value, key) => (value as Variables)[key], dot)
}

function rendered(
  blocks: readonly Block[],
  dot: Value,
  variables: Variables,
  world: World,
): string {
  return blocks.map((block) => renderedBlock(block, dot, variables, world)).join('')
}

function renderedBlock(block: Block, dot: Value, variables: Variables, world: World): string {
  const { kind, text, body } = block
  if (kind === 'text') return text
  if (kind === 'range') {
    const [, key = '', name = '', of = ''] = /^\$(\w+), \$(\w+) := (.+)$/.exec(text) ?? []
    // Go ranges over the keys of a map in their order.
    return Object.entries(evaluated(of, dot, variables, world) as object)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([at, value]) => rendered(body, dot, { ...variables, [key]: at, [name]: value }, world))
      .join('')
  }
  const value = evaluated(text, dot, variables, world)
  if (kind === 'action') return show(value)
  if (!isTrue(value)) return ''
  return rendered(body, kind === 'with' ? value : dot, variables, world)
}

/** Templates by name, rendered in the order of their names. */
export function renderChart(
  templates: Readonly<Record<string, string>>,
  dot: Readonly<Record<string, unknown>>,
  files: World['files'],
): Record<string, string> {
  const world: World = { definitions: new Map(), files }
  const all = Object.entries(templates).map(
    ([name, source]) => [name, parsed(source, world.definitions)] as const,
  )
  return Object.fromEntries(
    all.map(([name, blocks]) => [name, rendered(blocks, dot, {}, world)] as const),
  )
}
