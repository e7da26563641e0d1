import * as v from 'valibot'
import { about, digest, type Infer, object, optional, text, whole } from './schema.ts'
import { WireSwitch } from './switches.ts'

/*
 * The servers behind the gate and their tools, as people see them over HTTP.
 */

const Word = v.picklist(['allow', 'confirm', 'review', 'deny'])

/** A way past the people: something that lets calls run without asking. */
export const WireWay = object({
  kind: v.picklist(['observe', 'default', 'server', 'switch', 'rule', 'grant']),
  server: optional(v.string()),
  tool: optional(v.string()),
  says: about(v.string(), 'A clause about it: `runs without asking, and its risk is L4`.'),
  fix: about(v.string(), 'What to do about it.'),
  at: optional(about(v.string(), '`countersign.yaml:12`, where a file says so.')),
  until: optional(about(whole(), 'Closes by itself then.')),
})
export type WireWay = Infer<typeof WireWay>

/** How often people were asked about a tool, of late. */
export const WireCount = object({
  asked: about(
    whole(),
    'Includes those a grant let through. Calls that needed no approval are not counted.',
  ),
  approved: whole(),
  denied: whole(),
})
export type WireCount = Infer<typeof WireCount>

/** One agent's own definition of a tool. Another agent's tool of the same name is another tool. */
export const WireAgentTool = object({
  agent: optional(about(v.string(), 'Absent where a gate speaks for no agent in particular.')),
  door: v.string(),
  description: optional(v.string()),
  definition: about(v.string(), 'Digest of the definition.'),
})
export type WireAgentTool = Infer<typeof WireAgentTool>

export const ToolChange = object({
  id: v.string(),
  from: v.string(),
  to: v.string(),
  before: optional(
    about(v.string(), 'As JSON, a line for each key. Absent where it is too large to keep.'),
  ),
  after: optional(v.string()),
})
export type ToolChange = Infer<typeof ToolChange>

/** What a call gets, and which rule says so. */
export const WireAnswer = object({
  verdict: Word,
  depends: about(v.boolean(), 'It depends on the arguments; `verdict` is the strictest.'),
  source: v.string(),
  rule: v.string(),
  at: optional(about(v.string(), '`countersign.yaml:12`, where the rule stands in a file.')),
})
export type WireAnswer = Infer<typeof WireAnswer>

export const SwitchOffer = object({
  after: Word,
  lowers: v.boolean(),
})
export type SwitchOffer = Infer<typeof SwitchOffer>

export const SwitchState = object({
  set: optional(about(WireSwitch, 'Absent: it was not switched.')),
  fixed: optional(
    about(
      object({
        rule: v.string(),
        at: v.string(),
      }),
      'A file decides, and this is where.',
    ),
  ),
  on: about(SwitchOffer, 'What switching it would give.'),
  off: SwitchOffer,
  clear: SwitchOffer,
})
export type SwitchState = Infer<typeof SwitchState>

export const WireServerTool = object({
  tool: v.string(),
  title: optional(v.string()),
  description: optional(v.string()),
  risk: optional(about(v.string(), 'Absent where it is not rated.')),
  riskFrom: about(
    v.string(),
    'What made it so: `operator`, `name`, `schema`, `annotations`, `nothing`.',
  ),
  riskSign: optional(about(v.string(), 'The word that gave it away.')),
  state: v.picklist(['pinned', 'changed', 'new', 'gone', 'unseen', 'guarded', 'called']),
  change: optional(
    about(
      ToolChange,
      'For what changed, or is new and held back: what was, what is, and what to accept.',
    ),
  ),
  answer: WireAnswer,
  switch: optional(SwitchState),
  usedAt: optional(about(whole(), 'Give or take a minute.')),
  doors: about(
    v.array(v.string()),
    'The entry points it was seen at: `mcp`, `hook`, `http`, `in-process`.',
  ),
  lately: WireCount,
  inputSchema: optional(v.unknown()),
  agents: optional(
    about(
      v.array(WireAgentTool),
      'What each agent that guards it says of it, where it is no tool of a server in a file.',
    ),
  ),
})
export type WireServerTool = Infer<typeof WireServerTool>

/** How Countersign is signed in at a server, where its users sign in. */
export const WireSignIn = object({
  needed: about(v.boolean(), 'An admin has to sign in before it can be used.'),
  last: optional(
    object({
      issuer: about(v.string(), 'The authorization server.'),
      scopes: v.array(v.string()),
      by: about(v.string(), 'Who signed in.'),
      at: whole(),
      lost: optional(about(v.string(), 'Why it counts no longer.')),
      wants: optional(
        about(v.array(v.string()), 'What the server asked for since, and has not got.'),
      ),
    }),
  ),
})
export type WireSignIn = Infer<typeof WireSignIn>

/** `POST /v1/servers/:server/sign-in`. */
export const SignInBody = object({
  client: optional(
    about(
      object({
        issuer: about(text({ min: 1, max: 2_000 }), 'The one it was made at, as it was shown.'),
        id: text({ min: 1, max: 2_000 }),
        secret: optional(text({ max: 4_096 })),
      }),
      'A client that a person made at the authorization server, where that takes no others.',
    ),
  ),
})

/** What the person is about to do; nothing is signed in yet. */
export const SignInBegun = object({
  to: optional(
    object({
      url: about(v.string(), 'Where the browser goes.'),
      issuer: v.string(),
      scopes: v.array(v.string()),
    }),
  ),
  needsClient: optional(
    about(
      object({ issuer: v.string(), redirect: v.string() }),
      'This authorization server takes no client by itself: make one there, with this redirect address.',
    ),
  ),
})
export type SignInBegun = Infer<typeof SignInBegun>

/** `POST /v1/servers/sign-ins`. */
export const FinishSignInBody = object({
  place: about(
    text({ min: 24, max: 24 }),
    'The last part of the address that the browser came back to.',
  ),
  query: about(text({ max: 8_192 }), 'The query it came back with.'),
})
export const FinishedSignIn = object({ server: v.string() })

/** What this program says of itself to authorization servers that read such documents. */
export const OwnClientDocument = object({
  client_id: v.string(),
  client_name: v.string(),
  client_uri: v.string(),
  redirect_uris: v.array(v.string()),
  grant_types: v.array(v.string()),
  response_types: v.array(v.string()),
  token_endpoint_auth_method: v.string(),
})

export const WireServer = object({
  alias: v.string(),
  description: optional(v.string()),
  at: optional(about(v.string(), '`countersign.yaml:12`; absent where no file declares it.')),
  reached: optional(
    about(v.string(), 'How it is reached, without secrets; absent where no file says how.'),
  ),
  hosted: optional(about(v.literal(true), 'Its tools are those of the studio.')),
  seen: optional(
    about(
      object({
        at: whole(),
        problem: optional(about(v.string(), 'Why it could not be reached.')),
        name: optional(v.string()),
        version: optional(v.string()),
        notes: v.array(v.string()),
      }),
      'As of the last look. Absent: there was none since the start.',
    ),
  ),
  signIn: optional(
    about(WireSignIn, 'Where its users sign in, and no header of the file does it for them.'),
  ),
  answer: about(WireAnswer, 'What its tools get that nothing else speaks of.'),
  switch: optional(SwitchState),
  tools: v.array(WireServerTool),
})
export type WireServer = Infer<typeof WireServer>

/** `GET /v1/servers`. */
export const ServerList = object({
  servers: v.array(WireServer),
  own: about(
    v.array(WireServerTool),
    'Tools that belong to no server: those agents run themselves, behind a gate of theirs.',
  ),
  ways: about(
    v.array(WireWay),
    'Whatever runs without asking, as far as it is known here; the gravest first.',
  ),
  countedSince: about(whole(), 'Since when calls are counted.'),
  now: whole(),
  can: about(
    v.array(v.picklist(['switch', 'accept', 'look', 'try', 'add', 'commands', 'sign-in'])),
    'What the reader may do.',
  ),
})
export type ServerList = Infer<typeof ServerList>

/** A tool of an MCP server as first seen. */
export const PinnedTool = object({
  id: v.string(),
  server: v.string(),
  tool: v.string(),
  risk: v.string(),
  digest: v.string(),
  definition: optional(about(v.unknown(), 'Absent where it is too large to keep.')),
  changed: optional(
    about(
      object({ digest: v.string(), definition: optional(v.unknown()) }),
      'Present while it is held back.',
    ),
  ),
})

/** `GET /v1/mcp/tools`. */
export const PinnedTools = object({ tools: v.array(PinnedTool) })
export type PinnedTools = Infer<typeof PinnedTools>

/** `POST /v1/mcp/tools/:id/accept`. */
export const AcceptBody = object({ digest: about(digest, 'Of the definition that was shown.') })

const variables = about(
  v.record(v.string(), text({ max: 4_096 })),
  'Variables in braces after a dollar sign are filled in, if their names begin with `MCP_`.',
)

const reached = {
  alias: text({ min: 1, max: 64 }),
  url: optional(text({ min: 1, max: 2_000 })),
  headers: optional(variables),
  command: optional(about(text({ min: 1, max: 1_000 }), 'Where the operator allows commands.')),
  args: optional(v.pipe(v.array(text({ max: 4_096 })), v.maxLength(100))),
  env: optional(variables),
} as const

/** `POST /v1/servers/test`. */
export const TestServerBody = object({
  ...reached,
  runs: optional(
    about(
      v.string(),
      'For a command: the list of it and its arguments as JSON, as a person confirmed it.',
    ),
  ),
})

/** `POST /v1/policy/draft/servers`. */
export const AddServerBody = object({
  ...reached,
  tools: optional(
    about(
      v.pipe(
        v.array(object({ tool: text({ min: 1, max: 200 }), approval: v.boolean() })),
        v.maxLength(1_000),
      ),
      'Those that are offered. Absent: all of them, and people are asked about each call.',
    ),
  ),
})

/** What a server said that no file names yet. Nothing is kept. */
export const TestedServer = object({
  problem: optional(about(v.string(), 'Why it could not be reached.')),
  name: optional(v.string()),
  version: optional(v.string()),
  tools: v.array(object({ tool: v.string(), description: optional(v.string()), risk: v.string() })),
})
export type TestedServer = Infer<typeof TestedServer>
