import * as v from 'valibot'
import { about, type Infer, object, optional } from '../schema.ts'

const step = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const steps = v.pipe(v.array(step), v.maxLength(50))

/** The workflow that asks, in its own words. */
export const WireWorkflow = object({
  name: step,
  step: optional(about(step, 'The one that waits for this answer.')),
  done: optional(steps),
  next: optional(steps),
})
export type WireWorkflow = Infer<typeof WireWorkflow>

/** One mistake in the answers to a form. */
export const FormMistake = object({
  at: about(v.array(v.string()), 'Where it is, key by key.'),
  problem: about(v.string(), 'The rule that it breaks, as a clause: `must be <= 500`.'),
})
export type FormMistake = Infer<typeof FormMistake>
