import { CountersignError } from '../base/errors.ts'
import { canonicalJson } from '../base/json/canonical.ts'
import { isPlainObject } from '../base/json/json.ts'
import { definitionHint } from '../gate/content/binding.ts'
import type { ToolDefinition } from '../gate/tool.ts'
import { patternSize } from '../policy/pattern/pattern-size.ts'

/*
 * What an agent says of its own tools. Each agent can send what it likes, so it is bounded before
 * anything is made of it.
 */

const DEFINITION_LIMITS = { depth: 64, bytes: 65_536, keys: 4_000 }
const DECLARED_LIMITS = { depth: 32, bytes: 16_384, keys: 500 }
/** Reading one takes about a millisecond. */
const MAX_PATTERNS = 50
/** And longer for large ones, so all of them together have a size. */
const MAX_PATTERN_SIZE = 5_000

export function boundedDefinition(value: unknown): ToolDefinition | undefined {
  if (value === undefined) return undefined
  if (!isPlainObject(value)) {
    throw new CountersignError('invalid_value', 'definition is not an object')
  }
  try {
    canonicalJson(value, DEFINITION_LIMITS)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it is not JSON'
    throw new CountersignError('schema_unusable', `the tool’s definition cannot be used: ${why}`, {
      hint: definitionHint(cause, '64 kB'),
      cause,
    })
  }
  return value as ToolDefinition
}

/** What the agent's code says of a tool, in the words of policy files. */
export function boundedDeclaration(declared: unknown): unknown {
  const text = boundedText(declared)
  // Wherever they stand: a text that only looks like one is rare, and fifty are many.
  const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")?/g)]
  if (patterns.length > MAX_PATTERNS) {
    throw new CountersignError('policy_invalid', `declared has more than ${MAX_PATTERNS} patterns`)
  }
  const sizes = patterns.map(([, written = '""']) => patternSize(JSON.parse(written)))
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_PATTERN_SIZE) {
    throw new CountersignError('policy_invalid', 'the patterns of declared are too large')
  }
  return declared
}

function boundedText(declared: unknown): string {
  try {
    return canonicalJson(declared, DECLARED_LIMITS)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it is not JSON'
    throw new CountersignError('policy_invalid', `declared cannot be used: ${why}`, { cause })
  }
}
