import { CANONICAL_LIMITS } from '../../base/json/canonical.ts'
import { NAME } from '../call.ts'
import {
  type Keys,
  key,
  type ObjectShape,
  object,
  required,
  type Section,
} from '../read/read-object.ts'
import { list, parsed, readNumber, refuse, type Shape, table, whole } from '../read/read-shape.ts'
import { approvalMap } from './grammar-approval.ts'
import {
  ACCESS,
  AGENT_HINTS,
  allowedSkills,
  allowedTools,
  BLANKET,
  CONNECTION,
  DELEGATION,
  DESCRIPTION,
  ONE_WAY,
  SERVER_HINTS,
  tool,
} from './grammar-entries.ts'
import { GOVERNANCE_PARTS, governance } from './grammar-governance.ts'
import { jsonObject } from './grammar-json.ts'
import { notify, notifyRule, toldTest } from './grammar-notify.ts'
import { decisionPoint } from './grammar-pdp.ts'
import { PEOPLE_PARTS, people } from './grammar-people.ts'
import {
  alias,
  approvers,
  assurance,
  duration,
  edit,
  memory,
  NAME_PROBLEM,
  reasonRule,
  risk,
  sentence,
  url,
  verdict,
} from './grammar-values.ts'

/**
 * The grammar of countersign.yaml and of governance files. All that is known about keys comes from
 * these tables: reading, suggestions, the JSON Schema and the words editors show.
 */

const version: Shape<1> = {
  wants: '1',
  read(tree, at) {
    if (tree.kind !== 'scalar' || typeof tree.value !== 'number') {
      const quoted = tree.kind === 'scalar' && tree.value === '1'
      return refuse(tree, at, quoted ? '1 without quotes' : '1, the version of this format')
    }
    const value = readNumber(tree, at)
    if (value === 1 || value === undefined) return value
    const problem = `this release reads version 1, not ${value}; write 1, or use a newer release`
    at.report.mistake(tree.place, at.path, 'unknown_version', problem)
    return undefined
  },
  schema: () => ({ const: 1 }),
}

const defaults = object(
  'defaults',
  {
    undeclared: key(
      verdict,
      'For in-process tools and agents nothing is said about; allow unless set.',
    ),
    gateway: key(
      verdict,
      'For tools of servers nothing is said about; confirm unless set. deny counts for resources and prompts, too.',
    ),
    approvers: key(approvers, 'Who may approve where a rule names no approvers.'),
    decide_by: key(duration, 'How long a question lives; 24h unless set.'),
    use_by: key(
      duration,
      'How long a yes may be used. Unless set: 15m for a caller that waits, 24h where the run is suspended.',
    ),
    wait_for: key(
      duration,
      'How long a caller waits for an answer before it is told to come back.',
    ),
    min_assurance: key(assurance, 'How surely an approver must be known; elicitation unless set.'),
    edit: key(edit, 'Whether an approver may change arguments, or which; true unless set.'),
    reason: key(reasonRule, 'Whether a decision needs words; optional unless set.'),
    remember_no: key(
      memory,
      'How long a no answers equal calls of the run: call, run, or a duration; run unless set.',
    ),
  },
  {
    hints: {
      tools: 'did you mean `undeclared`?',
      servers: 'did you mean `gateway`?',
      mcp: 'did you mean `gateway`?',
      approval: 'write `undeclared: confirm` to ask about tools nothing is said about',
    },
  },
)

const server = object(
  'a server',
  {
    alias: required(alias, 'Its name in calls, rules and records.', 'alias: files'),
    description: DESCRIPTION,
    ...CONNECTION,
    approval: BLANKET,
    allowed_tools: key(allowedTools, 'Present: nothing else of this server may be called.'),
    risk: key(risk, 'How much harm its tools can do, unless an entry says otherwise.'),
    resources: key(
      ACCESS,
      'What a read of its resources gets; allow unless defaults.gateway denies, or the server declares effects.',
    ),
    prompts: key(
      ACCESS,
      'What a use of its prompts gets; allow unless defaults.gateway denies, or the server declares effects.',
    ),
  },
  { hints: SERVER_HINTS, schema: ONE_WAY },
)

const localAgent = object(
  'a local agent',
  {
    alias: required(alias, 'Its name in calls, rules and records.', 'alias: helper'),
    source: key(sentence, 'Where its definition is.'),
    description: DESCRIPTION,
    approval: DELEGATION,
  },
  { hints: { ...AGENT_HINTS, url: 'an agent with a url belongs in remote_agents' } },
)

const remoteAgent = object(
  'a remote agent',
  {
    alias: required(alias, 'Its name in calls, rules and records.', 'alias: payments'),
    url: key(url, 'The address of the agent.'),
    source: key(sentence, 'Where its card or definition is.'),
    description: DESCRIPTION,
    approval: DELEGATION,
    allowed_skills: key(allowedSkills, 'Present: no other skill of this agent may be called.'),
  },
  { hints: AGENT_HINTS },
)

const text = parsed('a text', (value: string) => ({ ok: true, value }))

const test = object(
  'a test',
  {
    name: required(sentence, 'What the test shows, in a few words.', 'name: small transfers run'),
    call: required(jsonObject, 'The call to judge.', 'call: { tool: pay, args: {} }'),
    expect: required(verdict, 'The verdict it must get.', 'expect: allow'),
    message: key(text, 'The exact message it must get.'),
    missing: key(
      list(sentence, { wants: 'a list of variables', min: 0, name: (one) => one }),
      'The variables of the message that have no value.',
    ),
    told: key(toldTest, 'How a person is told of the call, by the rules under notify.'),
  },
  { hints: { expected: 'did you mean `expect`?', verdict: 'did you mean `expect`?' } },
)

const limits = object('limits', {
  pending_per_agent: key(whole(1, 1_000_000), 'How many questions of one agent may wait at once.'),
  asks_per_minute: key(whole(1, 1_000_000), 'How many questions one agent may ask in a minute.'),
  args_bytes: key(whole(1, CANONICAL_LIMITS.bytes), 'How large arguments may be.'),
  args_depth: key(whole(1, CANONICAL_LIMITS.depth), 'How deeply arguments may be nested.'),
})

const VERSION = required(version, 'The version of this format.', 'version: 1')
const PEOPLE = key(people, 'Who is in which group.')
const GOVERNANCE = key(governance, 'Rules that can only tighten.')
const PDP = key(
  decisionPoint,
  'A decision point that speaks AuthZEN, asked about every call. It can only tighten.',
)
const TESTS = key(
  list(test, { wants: 'a list of tests', min: 0, name: ({ values }) => values.name }),
  'Calls and the verdicts they must get; run with `countersign policy test`.',
)

export const ownerFile = object(
  'countersign.yaml',
  {
    version: VERSION,
    defaults: key(defaults, 'What holds where nothing else is said.'),
    people: PEOPLE,
    tools: key(
      table(tool, { wants: 'a map of tools by name', keyPattern: NAME, problem: NAME_PROBLEM }),
      'Tools that run in the process of the agent, by name.',
    ),
    mcp_servers: key(
      list(server, { wants: 'a list of servers', min: 0 }),
      'MCP servers and their tools.',
    ),
    local_agents: key(
      list(localAgent, { wants: 'a list of agents', min: 0 }),
      'Agents work is handed to here.',
    ),
    remote_agents: key(
      list(remoteAgent, { wants: 'a list of agents', min: 0 }),
      'Agents elsewhere, and their skills.',
    ),
    governance: GOVERNANCE,
    pdp: PDP,
    tests: TESTS,
    notify: key(
      notify,
      'Which channels tell first, by call and group. People may choose otherwise.',
    ),
    limits: key(limits, 'Bounds on what agents may ask.'),
    retain: key(duration, 'How long arguments, reasons and results are kept.'),
  },
  {
    hints: {
      schemaversion: 'an Agent Format file starts with `schema_version`',
      actionspace: 'an Agent Format file needs `schema_version: "1.0.0"`',
      groups: 'it belongs in `people`',
      rules: 'did you mean `governance`?',
      policies: 'did you mean `governance`?',
      servers: 'did you mean `mcp_servers`?',
      agents: 'did you mean `local_agents` or `remote_agents`?',
      approval: 'it belongs on a tool, a server or an agent',
    },
  },
)

const OWNERS = Object.keys(ownerFile.keys)

export const governanceFile = object(
  'a governance file',
  { version: VERSION, people: PEOPLE, governance: GOVERNANCE, pdp: PDP, tests: TESTS },
  {
    hints: {
      ...Object.fromEntries(
        OWNERS.filter(
          (word) => !['version', 'people', 'governance', 'pdp', 'tests'].includes(word),
        ).map((word) => [word.replaceAll('_', ''), "it belongs in the owner's file"]),
      ),
      rules: 'did you mean `governance`?',
      policies: 'did you mean `governance`?',
      groups: 'it belongs in `people`',
    },
  },
)

export type OwnerFile = Section<(typeof ownerFile)['keys']>
export type GovernanceFile = Section<(typeof governanceFile)['keys']>
export type DefaultsSection = Section<(typeof defaults)['keys']>
export type LimitsSection = Section<(typeof limits)['keys']>

/** Where each key is at home, for keys that were written somewhere else. */
export const HOMES: ReadonlyMap<string, string> = new Map([
  ...[
    limits,
    ...GOVERNANCE_PARTS,
    notifyRule,
    remoteAgent,
    server,
    tool,
    ...PEOPLE_PARTS,
    defaults,
  ].flatMap(keysOf),
  ...keysOf(approvalMap(false)),
  ...Object.keys(ownerFile.keys).map((word) => [word, 'at the top of the file'] as const),
])

function keysOf({ name, keys }: ObjectShape<Keys>): (readonly [string, string])[] {
  return Object.keys(keys).map((word) => [word, `in ${name}`])
}
