import * as v from 'valibot'
import { WirePerson } from './common.ts'
import { about, type Given, type Infer, object, optional, text, time, whole } from './schema.ts'

/*
 * Who answers for whom while they are away, as people see it over HTTP.
 */

export const WireStandIn = object({
  id: v.string(),
  absent: about(WirePerson, 'Who is away. They may answer all the same.'),
  standIn: about(WirePerson, 'Who may fill their places.'),
  from: whole(),
  until: whole(),
  by: WirePerson,
  at: whole(),
  reason: optional(v.string()),
  can: about(v.array(v.picklist(['end', 'take_back'])), 'What the reader may do with it.'),
})
export type WireStandIn = Infer<typeof WireStandIn>

/** `GET /v1/people/stand-ins`: those that hold and those to come, the first to end first. */
export const StandInList = object({
  standIns: v.array(WireStandIn),
  now: whole(),
  can: about(
    v.array(v.picklist(['set', 'set_for_others'])),
    'People set one for themselves, admins for others as well.',
  ),
})
export type StandInList = Infer<typeof StandInList>

const who = about(text({ min: 1, max: 254 }), 'An address, or the `id` of `/v1/people`.')

/** `POST /v1/people/stand-ins`. People are named by their address, or by the `id` of `/v1/people`. */
export const StandInBody = object({
  standIn: who,
  absent: optional(about(who, 'The signed-in person, unless set.')),
  from: optional(about(time, 'Now, unless set.')),
  until: time,
  reason: optional(text({ max: 1_000 })),
})
export type StandInBody = Given<typeof StandInBody>
