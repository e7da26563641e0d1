/** Requests and responses as a page shows them, in its order, and what happens between them. */
export type Step =
  | { readonly is: 'exchange'; readonly request: Shown; readonly response: Shown }
  | { readonly is: 'event'; readonly name: string }

/** The first line, the headers and the body. */
export interface Shown {
  readonly first: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A comment `<!-- wire: NAME -->` is something that happens: readers are told in words. */
const PART = /^```http\n([\s\S]*?)^```$|^<!-- wire: (.+) -->$/gm

export function stepsOf(page: string): Step[] {
  const steps: Step[] = []
  let request: Shown | undefined
  for (const [, block, name] of page.matchAll(PART)) {
    if (name !== undefined) steps.push({ is: 'event', name })
    else if (request === undefined) request = shown(block ?? '')
    else {
      steps.push({ is: 'exchange', request, response: shown(block ?? '') })
      request = undefined
    }
  }
  if (request) throw new Error(`no response follows ${request.first}`)
  return steps
}

function shown(block: string): Shown {
  const [head = '', ...rest] = block.split('\n\n')
  const [first = '', ...lines] = head.trim().split('\n')
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(': ')
    return [name, value.join(': ')] as const
  })
  return { first, headers: Object.fromEntries(headers), body: rest.join('\n\n').trim() }
}

/** What `{name}` stands for, from where it was first seen. */
export type Names = Map<string, string>

/** A name that is not known yet is left out of what is sent, which is a mistake of the page. */
export function filled(text: string, names: Names): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = names.get(name)
    if (value === undefined) throw new Error(`${whole} was not shown before`)
    return value
  })
}

/**
 * Whether an answer is as shown: `"…"` is any value, a member `"…"` any further members, and `{name}`
 * a text that is the same everywhere on the page. Gives what differs.
 */
export function differs(told: unknown, was: unknown, names: Names, at = 'body'): string[] {
  if (told === '…') return was === undefined ? [`${at} is missing`] : []
  if (typeof told === 'string') return textDiffers(told, was, names, at)
  if (Array.isArray(told)) {
    if (!Array.isArray(was) || was.length !== told.length) return [`${at} is ${text(was)}`]
    return told.flatMap((one, index) => differs(one, was[index], names, `${at}.${index}`))
  }
  if (typeof told !== 'object' || told === null) {
    return Object.is(told, was) ? [] : [`${at} is ${text(was)}, not ${text(told)}`]
  }
  if (typeof was !== 'object' || was === null) return [`${at} is ${text(was)}`]
  const { '…': further, ...members } = told as Record<string, unknown>
  const found = was as Record<string, unknown>
  const more = Object.keys(found).filter((key) => !Object.hasOwn(members, key))
  return [
    ...Object.entries(members).flatMap(([key, one]) =>
      differs(one, found[key], names, `${at}.${key}`),
    ),
    ...(further === undefined
      ? more.map((key) => `${at}.${key} is there: ${text(found[key])}`)
      : []),
  ]
}

function textDiffers(told: string, was: unknown, names: Names, at: string): string[] {
  if (typeof was !== 'string') return [`${at} is ${text(was)}, not ${text(told)}`]
  const own: string[] = []
  const pattern = told.replaceAll(/\{(\w+)\}|[.*+?^${}()|[\]\\]/g, (whole, name?: string) => {
    if (name === undefined) return escaped(whole)
    const known = names.get(name)
    if (known !== undefined) return escaped(known)
    own.push(name)
    return '(.+)'
  })
  const found = new RegExp(`^${pattern}$`, 'u').exec(was)
  if (!found) return [`${at} is ${text(was)}, not ${text(told)}`]
  for (const [index, name] of own.entries()) names.set(name, found[index + 1] ?? '')
  return []
}

function escaped(literal: string): string {
  return literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? 'missing'
}
