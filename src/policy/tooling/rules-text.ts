import { CountersignError } from '../../base/errors.ts'
import type { Source } from '../load/load.ts'
import { createReport } from '../read/read-report.ts'
import type { Tree, TreeEntry } from '../read/read-tree.ts'
import { readYaml } from '../read/yaml.ts'

/** What a rule of a server or an agent can say. Everything else is how it is reached. */
const RULE_KEYS: ReadonlySet<string> = new Set([
  'alias',
  'description',
  'approval',
  'humanInTheLoop',
  'risk',
  'allowed_tools',
  'allow_tools',
  'allowed_skills',
  'allow_skills',
])
const TOOL_KEYS: ReadonlySet<string> = new Set([...RULE_KEYS, 'secrets', 'result'])

const LISTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['mcp_servers', RULE_KEYS],
  ['local_agents', RULE_KEYS],
  ['remote_agents', RULE_KEYS],
  ['local_tools', TOOL_KEYS],
])

/**
 * A policy file with its rules alone: addresses, commands, headers and variables of servers are left
 * out, and so are addresses of calendars and comments. Keys that may stay are listed, so that a new one stays out by itself.
 * JSON, which is YAML: any reader of policy files reads this.
 */
export function rulesText({ file, text }: Source): string {
  const tree = readYaml(file, text, createReport())
  if (tree?.kind !== 'map') {
    throw new CountersignError('policy_invalid', `${file} cannot be read again`)
  }
  return written(tree, 0)
}

/** Lists of servers stand at the top of a file, or in `action_space`. */
function written(tree: Tree, depth: number, kept?: ReadonlySet<string>, isPeople = false): string {
  switch (tree.kind) {
    case 'map': {
      const entries = kept ? tree.entries.filter(({ key }) => kept.has(key)) : tree.entries
      return `{${entries.map((entry) => writtenEntry(entry, depth, isPeople)).join(',')}}`
    }
    case 'list':
      return `[${tree.items.map((item) => written(item, depth + 1, kept)).join(',')}]`
    case 'scalar':
      return quoted(tree.value)
    case 'broken':
      return 'null'
  }
}

/** Stands for a decision point: a reader of the rules must know that there is one, and not where. */
const HIDDEN_PDP = 'https://pdp.invalid'

/** The same for a calendar: `people.groups.NAME.on_call.calendar`. */
const HIDDEN_CALENDAR = 'hidden.ics'
const CALENDAR_DEPTH = 4

function writtenEntry({ key, value }: TreeEntry, depth: number, isPeople: boolean): string {
  if (depth === 0 && key === 'pdp') return `${quoted(key)}:${quoted(HIDDEN_PDP)}`
  if (isPeople && depth === CALENDAR_DEPTH && key === 'calendar') {
    return `${quoted(key)}:${quoted(HIDDEN_CALENDAR)}`
  }
  const kept = depth <= 1 && value.kind === 'list' ? LISTS.get(key) : undefined
  return `${quoted(key)}:${written(value, depth + 1, kept, isPeople || (depth === 0 && key === 'people'))}`
}

/** Policy files refuse characters that an editor hides, unless they are written as escapes. */
function quoted(value: string | number | boolean | null): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
