import * as v from 'valibot'
import { RiskLevel, RuleName, WirePerson } from '../common.ts'
import { about, type Infer, object, optional, whole } from '../schema.ts'

const figures = {
  asked: about(whole(), 'All of that time: those that still wait, and those that are over.'),
  pending: about(whole(), 'Of those asked, the ones that were still open when they were counted.'),
  ended: about(whole(), 'Of those asked, the ones that are over: what History lists.'),
  approved: about(whole(), 'A yes, whatever became of it; those by a grant among them.'),
  denied: whole(),
  expired: about(whole(), 'Not decided in time.'),
  other: about(whole(), 'Withdrawn, or void before it was decided.'),
  edited: about(whole(), 'Approved with other arguments than were asked for.'),
  byGrant: whole(),
  decided: about(whole(), 'By people: what the times are of.'),
  medianMs: optional(
    about(
      whole(),
      'Half of what people decided was decided within this time. At most 3 % off, like every time here.',
    ),
  ),
  p95Ms: optional(whole()),
}

export const Figures = object(figures)
export type Figures = Infer<typeof Figures>

const tool = { tool: v.string(), server: optional(v.string()) }

/** How one person answers, as facts. */
export const PersonFigures = object({
  person: WirePerson,
  answered: whole(),
  approved: whole(),
  denied: whole(),
  edited: whole(),
  quick: about(whole(), 'Approved within three seconds of the question.'),
  medianMs: optional(about(whole(), 'From the question to their answer.')),
  p95Ms: optional(whole()),
  hours: about(v.array(whole()), 'Answers by hour of the day, in UTC: 24 numbers.'),
})
export type PersonFigures = Infer<typeof PersonFigures>

/** `GET /v1/insights`. Days and hours are those of asking, in UTC. */
export const Insights = object({
  from: about(whole(), 'When the first day begins.'),
  days: about(
    v.array(object({ day: about(whole(), 'When it begins.'), ...figures })),
    'Every day, the oldest first.',
  ),
  total: Figures,
  tools: about(v.array(object({ ...tool, ...figures })), 'The most asked first; at most 50.'),
  agents: v.array(object({ agent: v.string(), ...figures })),
  groups: about(v.array(object({ group: v.string(), ...figures })), 'Asked for their approval.'),
  rules: about(
    v.array(object({ source: v.string(), rule: v.string(), name: RuleName, ...figures })),
    'Rules that asked, the noisiest first; at most 50.',
  ),
  hours: about(v.array(object({ hour: whole(), ...figures })), '24, in UTC.'),
  unruled: about(
    v.array(object({ ...tool, risk: optional(RiskLevel), ...figures })),
    'Tools that no rule names: only the default asked for them.',
  ),
  me: optional(about(PersonFigures, 'How the reader answers; absent where they answered none.')),
  people: optional(about(v.array(PersonFigures), 'How all of them answer. For admins.')),
  until: optional(about(whole(), 'Everything recorded before this is counted.')),
  behind: optional(about(v.literal(true), 'Older events are still being counted.')),
})
export type Insights = Infer<typeof Insights>
