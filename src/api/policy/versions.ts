import * as v from 'valibot'
import { WirePerson } from '../common.ts'
import { about, digest, type Infer, object, optional, whole } from '../schema.ts'

/** A policy that was put into force once. */
const version = {
  id: about(digest, 'The hash of the event that put it into force.'),
  name: about(v.string(), 'The name of the policy, as approvals carry it.'),
  at: whole(),
  by: optional(about(WirePerson, 'Who applied it; absent: who started the server.')),
  loaded: optional(about(v.literal(true), 'The first one of this database.')),
  active: about(v.boolean(), 'It is in force.'),
}

/** `GET /v1/policy/versions`. */
export const PolicyVersions = object({
  versions: about(v.array(object(version)), 'The newest first; at most 100.'),
})
export type PolicyVersions = Infer<typeof PolicyVersions>

/** `GET /v1/policy/versions/:version`. */
export const PolicyVersion = object({
  ...version,
  files: v.array(
    object({
      role: v.picklist(['owner', 'governance']),
      digest,
      text: about(v.string(), 'As it was, compared with the digest in the signed record.'),
    }),
  ),
  disk: about(v.string(), "The owner's file as it is on disk."),
  base: about(digest, 'Of the file on disk; `PUT /v1/policy/draft` wants it back.'),
})
export type PolicyVersion = Infer<typeof PolicyVersion>

/** `GET /v1/policy/counts`. */
export const RuleCounts = object({
  days: whole(),
  rules: about(
    v.array(
      object({
        rule: about(v.string(), 'As in `names` of a rule.'),
        asked: whole(),
        approved: whole(),
        denied: whole(),
        expired: whole(),
        edited: whole(),
      }),
    ),
    'Rules that asked; those that did not are absent.',
  ),
  behind: optional(
    about(
      v.literal(true),
      'Not everything is counted under its rule yet: the numbers are at least these.',
    ),
  ),
})
export type RuleCounts = Infer<typeof RuleCounts>
