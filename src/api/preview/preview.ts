import * as v from 'valibot'
import { PREVIEW_FAILURES, PREVIEW_LIMITS } from '../../base/preview/preview.ts'
import { MASK } from '../../base/secrets/mask.ts'
import { about, type Infer, object, optional, text, whole } from '../schema.ts'

/*
 * What the program that asks says its call would do. Data, never markup: `readPreview` of src/base
 * checks the same, and the total of 16 kB.
 */

const most = PREVIEW_LIMITS

/** `of` is a text of a preview: bounded as it is sent. Masked texts may be longer than what they hide. */
function partsOf(of: typeof text) {
  const label = of({ max: most.label })
  const value = v.union([of({ max: most.value }), v.number(), v.boolean(), v.null()])
  const body = of({ max: most.text })
  const change = object({ label, before: body, after: body })
  return {
    summary: optional(of({ max: most.summary })),
    facts: optional(v.pipe(v.array(object({ label, value })), v.maxLength(most.facts))),
    table: optional(
      object({
        columns: v.pipe(v.array(label), v.minLength(1), v.maxLength(most.columns)),
        rows: v.pipe(v.array(v.array(value)), v.maxLength(most.rows)),
        total: optional(about(whole(), 'How many rows there are, where these are only the first.')),
      }),
    ),
    changes: optional(
      about(v.pipe(v.array(change), v.maxLength(most.changes)), 'Texts before and after.'),
    ),
    text: optional(about(body, 'As it would be sent or written.')),
  }
}

const failed = about(v.picklist(PREVIEW_FAILURES), 'Why the program has no preview of this call.')

/** With a call that is asked about. */
export const PreviewBody = v.union([object(partsOf(text)), object({ failed })])

/** On the card. */
export const WirePreview = object({
  ...partsOf(({ max }) => text({ max: max * MASK.length })),
  failed: optional(
    about(
      v.picklist([...PREVIEW_FAILURES, 'unknown']),
      'Why there is none. `unknown`: it is no longer kept, or was changed in the database.',
    ),
  ),
  digest: about(v.string(), 'Of what was shown, as the record of asking holds it.'),
  ofAsked: optional(
    about(v.literal(true), 'An approver edited the call: this is about it as it was asked.'),
  ),
})
export type WirePreview = Infer<typeof WirePreview>

/** What a card holds of it. */
export const PREVIEW_CARD = {
  preview: optional(
    about(
      WirePreview,
      'What the program that asked says the call would do; masked, and not checked by Countersign.',
    ),
  ),
}
