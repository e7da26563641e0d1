import {
  type Keys,
  key,
  type ObjectShape,
  object,
  required,
  type Section,
} from '../read/read-object.ts'
import {
  choice,
  list,
  type Placed,
  parsed,
  refuse,
  type Shape,
  table,
  text,
} from '../read/read-shape.ts'
import { approval, humanInTheLoop, ONE_SPELLING } from './grammar-approval.ts'
import { paths, risk, sentence, toolName, url } from './grammar-values.ts'

/** Tools, servers and agents: what both kinds of file say about each of them. */

export const NOT_A_KEY: Readonly<Record<string, string>> = {
  requiresapproval: 'did you mean `approval`?',
  requireapproval: 'did you mean `approval`?',
  needsapproval: 'did you mean `approval`?',
  confirm: 'did you mean `approval`?',
  hitl: 'did you mean `humanInTheLoop`?',
}

export const DESCRIPTION = key(sentence, 'For people; nothing reads it.')

export const TOOL = {
  approval: key(
    approval(false),
    'true: ask before each call. false: never, though governance still may. Or a map.',
  ),
  humanInTheLoop: key(humanInTheLoop, 'Another spelling of approval: mode REQUIRED or DISABLED.'),
  risk: key(risk, 'L0 is harmless, L5 cannot be undone. Without approval, anything above L0 asks.'),
  secrets: key(paths, 'Paths of arguments that are masked wherever people look.'),
  result: key(choice(['keep', 'drop']), 'Whether the result of the call is kept with the record.'),
  description: DESCRIPTION,
} as const

export const tool = object('a tool', TOOL, { hints: NOT_A_KEY, schema: ONE_SPELLING })

export type ToolSection = Section<typeof TOOL>

const REF = {
  approval: key(
    approval(false),
    'true, false or a map; goes before the approval of the whole server or agent.',
  ),
  humanInTheLoop: key(humanInTheLoop, 'Another spelling of approval.'),
  risk: key(risk, 'How much harm this one can do.'),
} as const

/** One name of `allowed_tools` or `allowed_skills`; without a section it was written bare. */
export interface Allowed {
  readonly name: string
  readonly section?: Section<typeof REF>
}

const toolRef = object(
  'an entry of allowed_tools',
  { name: required(toolName, 'The tool, exactly as it is called.', 'name: read_file'), ...REF },
  {
    hints: {
      ...NOT_A_KEY,
      id: 'did you mean `name`?',
      tool: 'did you mean `name`?',
      alias: 'did you mean `name`?',
    },
    schema: ONE_SPELLING,
  },
)

const skillRef = object(
  'an entry of allowed_skills',
  {
    id: key(toolName, 'The skill, exactly as it is called.'),
    name: key(toolName, 'Another spelling of id.'),
    ...REF,
  },
  {
    hints: { ...NOT_A_KEY, skill: 'did you mean `id`?', alias: 'did you mean `id`?' },
    schema: { ...ONE_SPELLING, oneOf: [{ required: ['id'] }, { required: ['name'] }] },
  },
)

export const allowedTools = allowed(toolRef, 'name', ({ name }) => name)
export const allowedSkills = allowed(skillRef, 'id', ({ id, name }) => id ?? name)

function allowed<K extends Keys & typeof REF>(
  entry: ObjectShape<K>,
  word: 'name' | 'id',
  nameOf: (values: Section<K>['values']) => string | undefined,
): Shape<readonly Placed<Allowed>[]> {
  const wants = `a name, or { ${word}: …, approval: … }`
  const item: Shape<Allowed> = {
    wants,
    read(tree, at) {
      if (tree.kind === 'scalar' && typeof tree.value === 'string') {
        const bare = toolName.read(tree, at)
        return bare === undefined ? undefined : { name: bare }
      }
      if (tree.kind !== 'map') return refuse(tree, at, wants)
      const section = entry.read(tree, at)
      if (!section) return undefined
      const named = ['id', 'name'].filter((one) => section.places.has(one)).length
      if (word === 'id' && named !== 1) {
        const problem =
          named === 2 ? '`id` and `name` say the same; write one' : '`id` is missing; add `id: pay`'
        at.report.mistake(tree.place, at.path, named === 2 ? 'both_keys' : 'missing_key', problem)
      }
      const name = nameOf(section.values)
      return name === undefined ? undefined : { name, section }
    },
    schema: (defs) => ({ anyOf: [toolName.schema(defs), entry.schema(defs)] }),
  }
  return list(item, {
    wants: `a list of names, or of maps with ${word} and approval`,
    min: 0,
    name: ({ name }) => name,
  })
}

/** Arguments, variables and headers are where people keep keys and passwords. */
const argument: Shape<string> = parsed('a text', (value) => ({ ok: true, value }), {
  instead: () => 'it as a text, in quotes',
  quiet: true,
})

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

const environment = table(argument, {
  wants: 'a map of names and texts',
  keyPattern: VARIABLE,
  problem: 'a variable is letters, digits and _',
})

const oneLine = text('a text in one line', {
  pattern: /^[^\r\n\0]*$/,
  problem: 'a header is one line',
  quiet: true,
})

const headers = table(oneLine, {
  wants: 'a map of header names and texts',
  keyPattern: HEADER,
  problem: 'this is not the name of a header',
})

/** How a server is reached. */
export const CONNECTION = {
  command: key(
    sentence,
    'The program that is the server; started here, and spoken to over its input and output.',
  ),
  args: key(list(argument, { wants: 'a list of texts', min: 0 }), 'Arguments of the command.'),
  env: key(environment, 'Environment variables of the command.'),
  cwd: key(sentence, 'The directory the command runs in.'),
  url: key(url, 'The address of a server that is already running.'),
  headers: key(headers, 'HTTP headers sent with each request.'),
  server_ref: key(sentence, 'The name of the server in a registry; connected elsewhere.'),
} as const

/** For editors; the reader says it in words. */
export const ONE_WAY = {
  dependentRequired: { args: ['command'], env: ['command'], cwd: ['command'], headers: ['url'] },
  not: {
    anyOf: [
      { required: ['command', 'url'] },
      { required: ['command', 'server_ref'] },
      { required: ['url', 'server_ref'] },
    ],
  },
} as const

/** For requests that run no tool. */
export const ACCESS = choice(['allow', 'confirm', 'review', 'deny'])

export const BLANKET = key(
  approval(false),
  'For all tools of this server that have no approval of their own.',
)

export const DELEGATION = key(
  approval(true),
  'Asks before work is handed to this agent. Its own tools are asked about separately.',
)

export const SERVER_HINTS = {
  ...NOT_A_KEY,
  name: 'did you mean `alias`?',
  id: 'did you mean `alias`?',
  tools: 'did you mean `allowed_tools`?',
  endpoint: 'did you mean `url`?',
  humanintheloop: 'it belongs on a tool; for the whole server write `approval`',
}

export const AGENT_HINTS = {
  ...NOT_A_KEY,
  name: 'did you mean `alias`?',
  id: 'did you mean `alias`?',
  skills: 'did you mean `allowed_skills`?',
  allowedtools: 'did you mean `allowed_skills`?',
  endpoint: 'did you mean `url`?',
  humanintheloop: 'it belongs on a tool; for an agent write `approval`',
}
