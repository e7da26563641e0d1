import { key, object, required, type Section } from '../read/read-object.ts'
import { flag, list, refuse, type Shape, text } from '../read/read-shape.ts'
import {
  AGENT_HINTS,
  allowedSkills,
  allowedTools,
  BLANKET,
  CONNECTION,
  DELEGATION,
  DESCRIPTION,
  NOT_A_KEY,
  SERVER_HINTS,
  TOOL,
} from './grammar-entries.ts'
import { formatAlias, risk, sentence, url } from './grammar-values.ts'
import { nearest, plainWord } from './nearest.ts'

/**
 * What is read of an Agent Format file (`.agf.yaml`): who the agent is, what it may do, and the
 * policies it wants. The published schema leaves maps open, so that a misspelt `aproval` would
 * pass and mean no approval; here, whatever says who is asked is closed.
 */

const named = (example: string) =>
  required(formatAlias, 'Its name in calls, rules and records.', `alias: ${example}`)

/** Keys of the published schema, or in common use, that say nothing about approval. */
function ignoring(...words: readonly string[]): (word: string) => boolean {
  return (word) => words.includes(word) || word.startsWith('x-')
}

const ABOUT = ['name', 'version', 'tags', 'labels', 'annotations', 'metadata', 'config'] as const

const localTool = object(
  'a local tool',
  { alias: named('pay'), ...TOOL },
  {
    hints: { ...NOT_A_KEY, id: 'did you mean `alias`?' },
    passes: ignoring(...ABOUT, 'source', 'input_schema', 'output_schema', 'parameters'),
  },
)

const ALLOWED_TOOLS = key(allowedTools, 'Present: nothing else of this server may be called.')
const ALLOWED_SKILLS = key(allowedSkills, 'Present: no other skill of this agent may be called.')

const server = object(
  'a server',
  {
    alias: named('files'),
    description: DESCRIPTION,
    ...CONNECTION,
    approval: BLANKET,
    allowed_tools: ALLOWED_TOOLS,
    allow_tools: ALLOWED_TOOLS,
    risk: key(risk, 'How much harm its tools can do, unless an entry says otherwise.'),
  },
  { hints: SERVER_HINTS, passes: ignoring(...ABOUT, 'transport') },
)

const localAgent = object(
  'a local agent',
  {
    alias: named('helper'),
    source: key(sentence, 'Where its definition is.'),
    description: DESCRIPTION,
    approval: DELEGATION,
  },
  { hints: AGENT_HINTS, passes: ignoring(...ABOUT, 'source_type', 'memory_scope_strategy') },
)

const remoteAgent = object(
  'a remote agent',
  {
    alias: named('bank'),
    url: key(url, 'The address of the agent.'),
    source: key(sentence, 'Where its card or definition is.'),
    description: DESCRIPTION,
    approval: DELEGATION,
    allowed_skills: ALLOWED_SKILLS,
    allow_skills: ALLOWED_SKILLS,
  },
  {
    hints: AGENT_HINTS,
    passes: ignoring(...ABOUT, 'input_modes', 'output_modes', 'agent_card', 'protocol'),
  },
)

const actionSpace = object(
  'action_space',
  {
    local_tools: key(
      list(localTool, {
        wants: 'a list of tools',
        min: 0,
        name: ({ values }) => values.alias,
      }),
      'Tools that run in the process of the agent.',
    ),
    mcp_servers: key(list(server, { wants: 'a list of servers', min: 0 }), 'MCP servers.'),
    local_agents: key(list(localAgent, { wants: 'a list of agents', min: 0 }), 'Sub-agents.'),
    remote_agents: key(list(remoteAgent, { wants: 'a list of agents', min: 0 }), 'Remote agents.'),
  },
  {
    hints: {
      tools: 'did you mean `local_tools`?',
      servers: 'did you mean `mcp_servers`?',
      agents: 'did you mean `local_agents` or `remote_agents`?',
      approval: 'it belongs on a tool, a server or an agent',
    },
    passes: ignoring(),
  },
)

const tightenOnly: Shape<true> = {
  wants: 'true, or leave it out',
  read(tree, at) {
    if (tree.kind !== 'scalar' || typeof tree.value !== 'boolean') {
      return refuse(tree, at, 'true, or leave it out')
    }
    if (tree.value) return true
    const problem = 'governance can only tighten, and no file can turn that off; remove this line'
    at.report.mistake(tree.place, at.path, 'loosens', problem)
    return undefined
  },
  schema: () => ({ const: true }),
}

const policy = object('a governance policy', {
  policy_ref: required(
    text('the name of a policy', {
      pattern: /^[a-z0-9][a-z0-9_.-]*$/,
      problem: 'the name of a policy is small letters, digits, _ . or -',
    }),
    'The name of a governance file.',
    'policy_ref: example.payments',
  ),
  required: key(flag, 'Whether the agent may run without it; true unless set.'),
  description: DESCRIPTION,
})

const CONSTRAINTS = ['tighten_only_invariant', 'governance_policies', 'budget', 'limits']

const constraints = object(
  'constraints',
  {
    tighten_only_invariant: key(tightenOnly, 'Always true here.'),
    governance_policies: key(
      list(policy, {
        wants: 'a list of policies',
        min: 0,
        name: ({ values }) => values.policy_ref,
      }),
      'Policies that must be at hand.',
    ),
  },
  { passes: otherThan(CONSTRAINTS, ['budget', 'limits']) },
)

/** Anything may stand beside known keys, unless it looks like one of them. */
function otherThan(
  known: readonly string[],
  ignored: readonly string[],
): (word: string) => boolean {
  return (word) => ignored.includes(word) || nearest(word, known) === undefined
}

const metadata = object(
  'metadata',
  { id: key(sentence, 'The id of the agent; {{agent_id}} in messages.') },
  { passes: (word) => plainWord(word) !== 'id' },
)

const schemaVersion = text('a version such as "1.0.0"', {
  pattern: /^1\.\d+\.\d+$/,
  problem: 'this release reads versions 1.x.y of the Agent Format schema',
})

const TOP = [
  'schema_version',
  'metadata',
  'interface',
  'memory',
  'constraints',
  'action_space',
  'execution_policy',
]

const OURS = 'it is not part of Agent Format; keep it in a countersign.yaml'
const DEEPER = 'it belongs in `action_space`'

/** Ignored, these would look as if they were obeyed. */
const MISPLACED: Readonly<Record<string, string>> = {
  version: 'a file has `version` (countersign.yaml) or `schema_version` (Agent Format), not both',
  defaults: OURS,
  people: OURS,
  governance: OURS,
  pdp: OURS,
  tests: OURS,
  limits: OURS,
  retain: OURS,
  approval: 'it belongs on a tool, a server or an agent',
  tools: DEEPER,
  localtools: DEEPER,
  mcpservers: DEEPER,
  localagents: DEEPER,
  remoteagents: DEEPER,
  governancepolicies: 'it belongs in `constraints`',
  tightenonlyinvariant: 'it belongs in `constraints`',
}

const passesTop = otherThan(TOP, ['interface', 'memory', 'execution_policy'])

export const agentFormatFile = object(
  'an Agent Format file',
  {
    schema_version: key(schemaVersion, 'The version of the Agent Format schema.'),
    metadata: key(metadata, 'Who the agent is.'),
    action_space: key(actionSpace, 'What the agent may do.'),
    constraints: key(constraints, 'What holds it back.'),
  },
  {
    hints: MISPLACED,
    passes: (word) => passesTop(word) && !Object.hasOwn(MISPLACED, plainWord(word)),
  },
)

export type ActionSpace = Section<(typeof actionSpace)['keys']>
export type Constraints = Section<(typeof constraints)['keys']>
