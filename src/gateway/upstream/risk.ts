import { type Risk, riskRank } from '../../base/call.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'

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

/** A risk, and what made it so. */
export interface Assessed {
  readonly risk: Risk
  readonly from: 'operator' | 'name' | 'schema' | 'annotations' | 'nothing'
  /** `delete` of the name, `command` of the schema, … */
  readonly sign?: string
}

/**
 * How much harm a tool could do, as far as can be seen. `said` is the operator's word and is never
 * lowered. Annotations come from the server itself: `destructiveHint` raises, and `readOnlyHint`
 * lowers nothing, because a server that lies would use it.
 */
export function assessRisk(
  tool: string,
  definition: JsonObject | undefined,
  said: Risk | undefined,
): Assessed {
  const words = tool.split(/[_.-]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())
  const schema = definition?.inputSchema
  const properties =
    isPlainObject(schema) && isPlainObject(schema.properties) ? schema.properties : {}
  const annotations = isPlainObject(definition?.annotations) ? definition.annotations : {}
  const found: Assessed[] = [
    ...(said === undefined ? [] : [{ risk: said, from: 'operator' } as const]),
    ...words.flatMap((word) => signed('name', NAMES, word)),
    ...Object.keys(properties).flatMap((name) => signed('schema', ARGUMENTS, name.toLowerCase())),
    ...HINTS.flatMap(({ hint, risk }) =>
      annotations[hint] === true ? [{ risk, from: 'annotations', sign: hint } as const] : [],
    ),
  ]
  const nothing: Assessed = { risk: 'L0', from: 'nothing' }
  // The first of equals: the operator's word before what was only guessed.
  return found.reduce(
    (top, one) => (riskRank(one.risk) > riskRank(top.risk) || top === nothing ? one : top),
    nothing,
  )
}

const HINTS = [
  { hint: 'destructiveHint', risk: 'L4' },
  { hint: 'openWorldHint', risk: 'L1' },
] as const

function signed(from: 'name' | 'schema', signs: readonly Sign[], word: string): Assessed[] {
  const found = signs.find(({ pattern }) => pattern.test(word))
  return found ? [{ risk: found.risk, from, sign: word }] : []
}
