import * as v from 'valibot'
import { PersonKey } from '../people.ts'
import {
  about,
  flag,
  type Given,
  type Infer,
  json,
  list,
  object,
  oneOf,
  optional,
  text,
  whole,
} from '../schema.ts'

/*
 * Tools that people write in the inbox.
 */

const WireRisk = oneOf('L0', 'L1', 'L2', 'L3', 'L4', 'L5')
const anyObject = v.record(v.string(), json)

export const WireCapabilities = object({
  net: about(list(text({ min: 1, max: 253 }), { max: 20 }), 'Hosts it may reach; `*` is any.'),
  write: about(flag, 'It may send more than GET and HEAD.'),
  secrets: about(list(text({ min: 1, max: 64 }), { max: 10 }), 'Names of secrets, never values.'),
  kv: about(flag, 'It keeps values between calls.'),
  irreversible: about(flag, 'What it does cannot be undone.'),
})
export type WireCapabilities = Infer<typeof WireCapabilities>

export const WireToolSpec = object({
  description: text({ min: 1, max: 2_000 }),
  language: oneOf('javascript', 'typescript'),
  source: text({ min: 1, max: 32_000 }),
  inputSchema: about(anyObject, 'JSON Schema of the arguments.'),
  capabilities: WireCapabilities,
  hitl: object({
    mode: oneOf('REQUIRED', 'DISABLED'),
    prompt: optional(about(text({ min: 1, max: 1_000 }), '{toolName} and {args} are filled in.')),
  }),
  risk: optional(about(WireRisk, 'Raises what is computed; lowers nothing.')),
  test: object({
    args: anyObject,
    expect: optional(about(json, 'The result it has to give. Absent: any will do.')),
  }),
})
export type WireToolSpec = Infer<typeof WireToolSpec>

export const WireStudioSecret = object({
  name: v.string(),
  hosts: about(v.array(v.string()), 'The hosts it was given for.'),
  at: whole(),
})

const state = {
  risk: WireRisk,
  why: about(v.string(), 'What made the risk: `it can reach api.example.com with a secret`.'),
  asks: about(v.boolean(), 'Whether people are asked about what is published, or would be.'),
  live: optional(about(whole(), 'The version that can be called. Absent: none.')),
  latest: optional(about(whole(), 'The newest version there ever was.')),
  changed: about(v.boolean(), 'The draft is not what is published.'),
}

/** One line of `GET /v1/studio/tools`. */
export const StudioRow = object({
  name: v.string(),
  description: v.string(),
  ...state,
  at: whole(),
})
export type StudioRow = Infer<typeof StudioRow>

export const StudioList = object({ tools: v.array(StudioRow) })
export type StudioList = Infer<typeof StudioList>

/** `GET /v1/studio/tools/:name`. */
export const StudioTool = object({
  name: v.string(),
  spec: WireToolSpec,
  revision: about(whole(), 'Of the draft: saving and publishing name the one that was looked at.'),
  at: whole(),
  ...state,
  secrets: v.array(WireStudioSecret),
})
export type StudioTool = Infer<typeof StudioTool>

/** `PUT /v1/studio/tools/:name`. */
export const SaveToolBody = object({
  spec: WireToolSpec,
  revision: optional(about(whole(), 'Absent: the tool is new.')),
})
export type SaveToolBody = Given<typeof SaveToolBody>

/** `POST /v1/studio/tools/:name/run`. */
export const RunToolBody = object({ spec: WireToolSpec, args: anyObject })

export const WireToolRun = object({
  logs: v.array(object({ level: oneOf('info', 'warn', 'error'), text: v.string() })),
  ms: whole(),
  result: optional(json),
  error: optional(
    object({
      kind: v.string(),
      message: v.string(),
      at: optional(about(v.string(), '`tool.js:3:9`.')),
    }),
  ),
})
export type WireToolRun = Infer<typeof WireToolRun>

/** `POST /v1/studio/tools/:name/publish`. */
export const PublishBody = object({
  revision: whole(),
  lowers: optional(about(flag, 'People will be asked less than by default, and that is meant.')),
})

export const PublishAnswer = object({
  run: about(WireToolRun, 'Its stored test.'),
  version: optional(about(whole(), 'Absent: the test did not pass, and nothing changed.')),
  why: optional(v.string()),
})
export type PublishAnswer = Infer<typeof PublishAnswer>

/** `GET /v1/studio/tools/:name/versions/:version`. */
export const StudioVersion = object({
  version: whole(),
  spec: WireToolSpec,
  digest: v.string(),
  by: PersonKey,
  at: whole(),
  testMs: whole(),
})
export type StudioVersion = Infer<typeof StudioVersion>

/** `PUT /v1/studio/tools/:name/secrets/:secret`. */
export const SecretBody = object({
  value: text({ min: 1, max: 4_096 }),
  revision: about(whole(), 'Of the draft that was looked at: it names the hosts.'),
})
