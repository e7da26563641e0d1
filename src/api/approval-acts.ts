import * as v from 'valibot'
import {
  about,
  digest,
  type Given,
  type Infer,
  json,
  list,
  object,
  oneOf,
  optional,
  text,
  time,
} from './schema.ts'

/* What is done to an approval besides deciding it. */

/** `POST /v1/approvals/:id/extend`. */
export const ExtendBody = object({ until: time })

/** `POST /v1/approvals/:id/resolve`. */
export const ResolveBody = object({
  outcome: oneOf('succeeded', 'failed'),
  reason: optional(text({ max: 4_000 })),
})
export type ResolveBody = Given<typeof ResolveBody>

/** `POST /v1/approvals/:id/reveal`. */
export const RevealBody = object({
  path: about(list(text({ max: 1_024 }), { max: 64 }), 'As in `masked` of the card.'),
  digest: about(digest, 'Of the call that the person was shown.'),
})

export const Revealed = object({ path: v.array(v.string()), value: json })
export type Revealed = Infer<typeof Revealed>
