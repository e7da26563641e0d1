import * as v from 'valibot'
import { about, type Infer, list, name, object, oneOf, optional, text, whole } from '../schema.ts'

const wire = about(
  oneOf('openai', 'anthropic', 'google'),
  'The API it speaks; `openai` stands for every compatible server.',
)

export const WireModelServer = object({
  name: v.string(),
  wire,
  url: v.string(),
  models: about(v.array(v.string()), 'Empty: the server is asked.'),
  hasKey: about(v.boolean(), 'A key itself is never shown.'),
  at: about(whole(), 'When it was last changed.'),
})
export type WireModelServer = Infer<typeof WireModelServer>

/** `GET /v1/chat/model-servers`. */
export const ModelServers = object({
  servers: v.array(WireModelServer),
  problems: about(v.array(v.string()), 'Why models of a configured server are missing.'),
})

/** `PUT /v1/chat/model-servers/:name`. */
export const ModelServerBody = object({
  wire,
  url: optional(about(text({ min: 1, max: 500 }), 'Where the API usually is, unless given.')),
  key: optional(
    about(text({ min: 8, max: 4_096 }), 'Absent: the key stays, as long as the address does.'),
  ),
  models: optional(list(name, { max: 20 })),
})
export type ModelServerBody = Infer<typeof ModelServerBody>
