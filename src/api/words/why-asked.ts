import * as v from 'valibot'
import { WireTests } from '../policy/rules.ts'
import { about, type Infer, object, optional } from '../schema.ts'

/** One rule that asked, with the values it saw. */
export const WhyAsked = object({
  source: v.string(),
  rule: v.string(),
  words: optional(about(v.string(), 'The rule for people: `asks when amount is over 10,000`.')),
  place: optional(v.string()),
  asks: v.picklist(['confirm', 'review']),
  answer: v.picklist(['yes', 'unknown']),
  values: v.array(
    object({
      path: v.string(),
      wanted: v.string(),
      words: optional(about(v.string(), 'The same for people: `is over 10,000`.')),
      tests: optional(
        about(WireTests, 'The same without words; each of them has to hold, and none is anything.'),
      ),
      saw: v.string(),
      answer: v.picklist(['yes', 'no', 'unknown']),
    }),
  ),
  stale: optional(
    about(
      v.literal(true),
      'The policy has changed since: the values are what it would see now, or missing.',
    ),
  ),
})
export type WhyAsked = Infer<typeof WhyAsked>
