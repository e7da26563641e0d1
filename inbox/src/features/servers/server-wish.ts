import type { ServerEntry } from '../../../../src/api/mcp/server-entry.ts'

/** What a person typed about a server. */
export interface ServerWish {
  readonly alias: string
  readonly kind: 'url' | 'command'
  readonly url: string
  /** As typed: words, with quotes where one holds a space. */
  readonly command: string
  readonly header: string
  readonly variable: string
}

export interface ToolWish {
  readonly tool: string
  readonly isOffered: boolean
  readonly isAsked: boolean
}

/** The value of a secret stays on the server: the entry names the variable that holds it. */
export function entryOf(wish: ServerWish, tools: readonly ToolWish[] = []): ServerEntry {
  const { alias, kind, url, variable } = wish
  const chosen = tools
    .filter(({ isOffered }) => isOffered)
    .map(({ tool, isAsked }) => ({ tool, approval: isAsked }))
  const offered = tools.length === 0 ? {} : { tools: chosen }
  if (kind === 'url') {
    const headers = variable === '' ? {} : { headers: headersOf(wish) }
    return { alias, url, ...headers, ...offered }
  }
  const [command = '', ...args] = wordsOf(wish.command)
  const env = variable === '' ? {} : { env: { [variable]: `\${${variable}}` } }
  return { alias, command, args, ...env, ...offered }
}

function headersOf({ header, variable }: ServerWish): Record<string, string> {
  const name = header.trim() === '' ? 'authorization' : header.trim().toLowerCase()
  return {
    [name]: name === 'authorization' ? `Bearer \${${variable}}` : `\${${variable}}`,
  }
}

function wordsOf(text: string): string[] {
  const found = text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  return found.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
}
