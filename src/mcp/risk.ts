import { isPlainObject, type JsonObject } from '../base/json.ts'
import { higherRisk, type Risk } from '../base/risk.ts'

/** A sign of what a tool can do, found in its name, its schema or what it says of itself. */
interface Sign {
  readonly risk: Risk
  readonly pattern: RegExp
}

/** Words in a tool's name, as whole parts of it. The table in docs/guides/mcp.md says the same. */
const NAMES: readonly Sign[] = [
  { risk: 'L5', pattern: /^(?:drop|wipe|purge|destroy|shutdown|terminate|format)$/ },
  {
    risk: 'L4',
    pattern:
      /^(?:delete|remove|rm|pay|transfer|purchase|buy|refund|deploy|exec|execute|run|shell|eval|sudo|grant|revoke)$/,
  },
  {
    risk: 'L3',
    pattern:
      /^(?:send|post|publish|share|invite|email|mail|message|merge|push|release|upload|move|rename|kill|stop)$/,
  },
  {
    risk: 'L2',
    pattern: /^(?:write|create|update|edit|set|put|add|insert|save|append|patch|modify|change)$/,
  },
  { risk: 'L1', pattern: /^(?:fetch|download|browse|open|request|call|navigate|http)$/ },
]

/** Names of arguments that let a tool do anything at all, or reach anywhere. */
const ARGUMENTS: readonly Sign[] = [
  { risk: 'L4', pattern: /^(?:command|cmd|shell|script|code|sql|query_sql|statement)$/ },
  { risk: 'L2', pattern: /^(?:content|body|data|payload|new_text)$/ },
  { risk: 'L1', pattern: /^(?:url|uri|host|endpoint)$/ },
]

/**
 * How much harm a tool could do, as far as can be seen. `said` is the operator's word and is never
 * lowered. Annotations come from the server itself: `destructiveHint` raises, and `readOnlyHint`
 * lowers nothing, because a server that lies would use it.
 */
export function assessRisk(
  tool: string,
  definition: JsonObject | undefined,
  said: Risk | undefined,
): Risk {
  const words = tool.split(/[_.-]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())
  const schema = definition?.inputSchema
  const properties =
    isPlainObject(schema) && isPlainObject(schema.properties) ? schema.properties : {}
  const annotations = isPlainObject(definition?.annotations) ? definition.annotations : {}
  const found: (Risk | undefined)[] = [
    said,
    ...words.map((word) => signOf(NAMES, word)),
    ...Object.keys(properties).map((name) => signOf(ARGUMENTS, name.toLowerCase())),
    annotations.destructiveHint === true ? 'L4' : undefined,
    annotations.openWorldHint === true ? 'L1' : undefined,
  ]
  return found.reduce(higherRisk, 'L0') ?? 'L0'
}

function signOf(signs: readonly Sign[], word: string): Risk | undefined {
  return signs.find(({ pattern }) => pattern.test(word))?.risk
}
