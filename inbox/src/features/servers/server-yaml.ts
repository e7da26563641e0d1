/** A server as a policy file declares it. Strings are written as JSON, which is YAML as well. */
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

export function serverYaml(wish: ServerWish, tools: readonly ToolWish[]): string {
  const { alias, kind, url } = wish
  const lines = [`  - alias: ${JSON.stringify(alias)}`]
  if (kind === 'url') {
    lines.push(`    url: ${JSON.stringify(url)}`)
    const headers = headersOf(wish)
    if (Object.keys(headers).length > 0) lines.push(`    headers: ${JSON.stringify(headers)}`)
  } else {
    const [command = '', ...args] = wordsOf(wish.command)
    lines.push(`    command: ${JSON.stringify(command)}`)
    if (args.length > 0) lines.push(`    args: ${JSON.stringify(args)}`)
    const { variable } = wish
    if (variable !== '') lines.push(`    env: ${JSON.stringify({ [variable]: `\${${variable}}` })}`)
  }
  const offered = tools.filter(({ isOffered }) => isOffered)
  if (tools.length === 0) lines.push('    approval: true')
  else {
    lines.push('    allowed_tools:')
    for (const { tool, isAsked } of offered) {
      lines.push(`      - { name: ${JSON.stringify(tool)}, approval: ${isAsked} }`)
    }
  }
  return `mcp_servers:\n${lines.join('\n')}\n`
}

/** The value stays on the server: the file names the variable that holds it. */
export function headersOf({ header, variable }: ServerWish): Record<string, string> {
  if (variable === '') return {}
  const name = header.trim() === '' ? 'authorization' : header.trim().toLowerCase()
  return { [name]: name === 'authorization' ? `Bearer \${${variable}}` : `\${${variable}}` }
}

function wordsOf(text: string): string[] {
  const found = text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  return found.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
}
