/** A server as a policy file declares it, by its address or by a command. */
export interface ServerEntry {
  readonly alias: string
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Absent: all of its tools, and people are asked about each call. */
  readonly tools?: readonly { readonly tool: string; readonly approval: boolean }[] | undefined
}

/** One item of `mcp_servers`, line by line. Strings are written as JSON, which is YAML as well. */
export function entryLines(entry: ServerEntry): string[] {
  const { alias, url, headers, command, args = [], env, tools } = entry
  const lines = [`- alias: ${quoted(alias)}`]
  if (url !== undefined) lines.push(`  url: ${quoted(url)}`)
  if (isFilled(headers)) lines.push(`  headers: ${quoted(headers)}`)
  if (command !== undefined) lines.push(`  command: ${quoted(command)}`)
  if (args.length > 0) lines.push(`  args: ${quoted(args)}`)
  if (isFilled(env)) lines.push(`  env: ${quoted(env)}`)
  if (tools === undefined) return [...lines, '  approval: true']
  if (tools.length === 0) return [...lines, '  allowed_tools: []']
  return [
    ...lines,
    '  allowed_tools:',
    ...tools.map(
      ({ tool, approval }) => `    - { name: ${quoted(tool)}, approval: ${String(approval)} }`,
    ),
  ]
}

/** The same as the lines of a file of its own. */
export function entryText(entry: ServerEntry): string {
  return `mcp_servers:\n${entryLines(entry)
    .map((line) => `  ${line}`)
    .join('\n')}\n`
}

/** What a person is asked to confirm before it runs, and what the server compares it with. */
export function commandText({ command = '', args = [] }: ServerEntry): string {
  return JSON.stringify([command, ...args])
}

const isFilled = (values: object | undefined) =>
  values !== undefined && Object.keys(values).length > 0

/** Policy files refuse characters that an editor hides, unless they are written as escapes. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
