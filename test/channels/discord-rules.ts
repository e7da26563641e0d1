/*
 * What Discord would refuse, and what a text of an agent could use to become more than text. Code is
 * read as the clients of Discord read it: a block ends at the next three backticks.
 */

interface Component {
  readonly type: number
  readonly content?: string
  readonly custom_id?: string
  readonly label?: string
  readonly url?: string
  readonly components?: readonly Component[]
}

const LINK = /<http:\/\/127\.0\.0\.1:\d+\/(?:approvals\/[0-9a-z]+)?>/g

/** Markup that is left once all code is taken away, and is not ours. */
export function markupProblem(content: string): string | undefined {
  const free = content
    .replaceAll(/```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```/gi, ' ')
    .replaceAll(/`[^`\n]+`/g, ' ')
  const own = free
    .replaceAll(/<t:\d+:f>/g, ' ')
    .replaceAll(LINK, ' ')
    .replaceAll(/\*\*(?:L\d\??|waits for a decision)\*\*/g, ' ')
    .replaceAll(/^-# ref /gm, ' ')
  return /[^\w\s·:,.?!]/.test(own) ? `markup that is not ours: ${own}` : undefined
}

/** Of a message of the bot in a conversation. */
export function messageProblem(fields: Readonly<Record<string, unknown>>): string | undefined {
  const content = String(fields.content ?? '')
  if (content.trim() === '' || content.length > 2_000) return 'a message has 1 to 2,000 characters'
  if (fields.embeds !== undefined) return 'people can turn embeds off'
  return mentionProblem(fields) ?? markupProblem(content) ?? rowsProblem(fields.components)
}

/** Of what an interaction is answered with. */
export function answerProblem(answer: Readonly<Record<string, unknown>>): string | undefined {
  const data = (answer.data ?? {}) as Readonly<Record<string, unknown>>
  if (answer.type === 1) return undefined
  if (answer.type === 9) {
    if (String(data.title).length > 45) return 'too long a title of a modal'
    return String(data.custom_id).length > 100 ? 'too long a custom_id' : undefined
  }
  if (answer.type !== 4 && answer.type !== 7) return `no such answer: ${String(answer.type)}`
  if (answer.type === 7 && data.content !== undefined) return messageProblem(data)
  if (data.flags !== 64 + 32_768) return 'not for one person alone'
  if (data.content !== undefined || data.embeds !== undefined) return 'content beside components'
  const texts = textsOf(data.components)
  if (texts.join('').length > 4_000) return 'more than 4,000 characters'
  const problem = texts.map(markupProblem).find((one) => one !== undefined)
  return problem ?? mentionProblem(data) ?? rowsProblem(data.components)
}

export function textsOf(components: unknown): readonly string[] {
  const all = (components ?? []) as readonly Component[]
  return all.flatMap(({ type, content }) => (type === 10 ? [content ?? ''] : []))
}

export function buttonsOf(components: unknown): readonly Component[] {
  const all = (components ?? []) as readonly Component[]
  return all.flatMap((one) => (one.type === 1 ? (one.components ?? []) : []))
}

function mentionProblem({ allowed_mentions }: Readonly<Record<string, unknown>>) {
  return JSON.stringify(allowed_mentions) === '{"parse":[]}' ? undefined : 'mentions are not off'
}

function rowsProblem(components: unknown): string | undefined {
  const rows = ((components ?? []) as readonly Component[]).filter(({ type }) => type === 1)
  if (rows.some((row) => (row.components ?? []).length > 5)) return 'more than five buttons'
  for (const { custom_id, label = '', url } of buttonsOf(components)) {
    if (label.length > 80) return 'too long a label'
    if ((custom_id === undefined) === (url === undefined)) return 'a button has an id or a link'
    if (custom_id !== undefined && custom_id.length > 100) return 'too long a custom_id'
    if (url !== undefined && !url.startsWith('https://')) return 'a link without TLS'
  }
  return undefined
}
