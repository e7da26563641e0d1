import type { Call, EvaluationInput, Json, JsonObject } from './documents.ts'
import type { Finding } from './finding.ts'
import { agentAlias } from './governance.ts'
import { pathSegments, valueAt } from './paths.ts'
import { toolNamed } from './risk.ts'

const DEFAULT_TEMPLATE = "Run '{{tool_name}}' with arguments {{tool_args}}?"

/**
 * The question, from the first finding that words it; findings come strictest first. What files and
 * governance say comes before what code says.
 */
export function question(
  findings: Finding[],
  input: EvaluationInput,
  call: Call,
): { message: string; missing: string[] } {
  const worded = findings.filter((finding) => finding.template !== undefined)
  const isInCode = ({ rule }: Finding) => rule.startsWith('code.')
  const template = (worded.find((finding) => !isInCode(finding)) ?? worded[0])?.template
  const text = template?.text ?? DEFAULT_TEMPLATE
  return render(text, template?.spelling === 'promptTemplate', input, call)
}

function render(
  template: string,
  singleBraces: boolean,
  input: EvaluationInput,
  call: Call,
): { message: string; missing: string[] } {
  const args = masked(input, call)
  const missing: string[] = []
  let message = ''
  let at = 0
  while (at < template.length) {
    const rest = template.slice(at)
    if (rest.startsWith('{{')) {
      const end = rest.indexOf('}}')
      const variable = rest.slice(2, end).trim()
      const value = variableValue(variable, args, input, call)
      if (value !== undefined) message += asText(value)
      else if (!missing.includes(variable)) missing.push(variable)
      at += end + 2
    } else if (singleBraces && rest.startsWith('{toolName}')) {
      message += call.tool
      at += '{toolName}'.length
    } else if (singleBraces && rest.startsWith('{args}')) {
      message += asText(args)
      at += '{args}'.length
    } else {
      message += template.charAt(at)
      at++
    }
  }
  return { message, missing }
}

function variableValue(
  variable: string,
  args: JsonObject,
  input: EvaluationInput,
  call: Call,
): Json | undefined {
  const kind = call.kind ?? 'tool'
  const [root, ...path] = pathSegments(variable)
  switch (root) {
    case 'tool_name':
      return call.tool
    case 'tool_args':
      return valueAt(args, path)
    case 'skill_id':
      return kind === 'skill' ? call.tool : undefined
    case 'skill_args':
      return kind === 'skill' ? valueAt(args, path) : undefined
    case 'mcp_server_alias':
      return kind === 'tool' ? call.server : undefined
    case 'remote_agent_alias':
      if (kind === 'skill') return call.server
      return kind === 'agent' && isRemote(input, call.tool) ? call.tool : undefined
    case 'agent_alias':
      return kind === 'agent' ? call.tool : agentAlias(call)
    case 'agent_id':
      return typeof call.agent === 'object' ? call.agent.id : undefined
    case 'parent':
      return kind === 'agent' ? valueAt(call.parent?.input, path.slice(1)) : undefined
    default:
      throw new Error(`the oracle was given a template with an unknown variable: ${variable}`)
  }
}

function isRemote(input: EvaluationInput, alias: string): boolean {
  return (input.owner.remote_agents ?? []).some((agent) => agent.alias === alias)
}

/** The arguments as people may see them. Only in-process tools declare secrets. */
function masked(input: EvaluationInput, call: Call): JsonObject {
  if (call.kind === 'agent' || call.kind === 'skill' || call.server !== undefined) return call.args
  const secrets = [
    ...(toolNamed(input.owner.tools, call.tool)?.secrets ?? []),
    ...(toolNamed(input.code, call.tool)?.secrets ?? []),
  ]
  const copy: JsonObject = JSON.parse(JSON.stringify(call.args))
  for (const secret of secrets) {
    hide(copy, pathSegments(secret))
  }
  return copy
}

/** Where the path cannot go on, nobody knows where the secret is: what stands there is hidden. */
function hide(holder: JsonObject, [key = '', ...rest]: string[]): void {
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined
  if (value === undefined) return
  const isLast = rest.length === 0
  if (!isLast && value === null) return
  const goesOn = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isLast || !goesOn) holder[key] = '[secret]'
  else hide(value as JsonObject, rest)
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value)
}

/** RFC 8785: sorted keys, no spaces; numbers and strings are written as JSON.stringify does. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
  }
  return JSON.stringify(value)
}
