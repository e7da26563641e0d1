import * as v from 'valibot'
import { WirePerson } from './common.ts'
import { about, flag, type Given, type Infer, object, optional, whole } from './schema.ts'

/*
 * Switches of the inbox: whether people are asked about tools of servers, where no file says so.
 */

/** One that is set. */
export const WireSwitch = object({
  server: v.string(),
  tool: optional(
    about(v.string(), 'Absent: for all tools of the server that nothing else speaks of.'),
  ),
  on: v.boolean(),
  by: WirePerson,
  at: whole(),
})
export type WireSwitch = Infer<typeof WireSwitch>

/** One of the list, with what it changes. */
export const ListedSwitch = object({
  ...WireSwitch.entries,
  changes: optional(
    about(
      object({
        from: v.string(),
        to: v.string(),
      }),
      'The strictest a call can get: as the files alone say, and as it is now. Absent: no file declares the server.',
    ),
  ),
  fixed: optional(
    about(
      object({
        rule: v.string(),
        at: v.string(),
      }),
      'A file decides this, so the switch changes nothing.',
    ),
  ),
})
export type ListedSwitch = Infer<typeof ListedSwitch>

/** `GET /v1/switches`. */
export const SwitchList = object({
  switches: v.array(ListedSwitch),
  can: about(v.array(v.literal('switch')), 'What the reader may do.'),
})
export type SwitchList = Infer<typeof SwitchList>

/** `PUT /v1/servers/:server/switch` and `PUT /v1/servers/:server/tools/:tool/switch`. */
export const SwitchBody = object({
  on: flag,
  lowers: optional(about(flag, 'People will be asked less, and that is meant.')),
})
export type SwitchBody = Given<typeof SwitchBody>
