import * as v from 'valibot'
import { about, type Given, type Infer, object, oneOf, optional, text } from '../schema.ts'

const viewName = text({ min: 1, max: 60 })
const query = about(
  text({ max: 1_000 }),
  'What stands after `?` in the address of the page: `tool=refund&risk=L4,L5`.',
)

/** A filter under a name, as one person saved it. */
export const SavedView = object({
  id: v.string(),
  name: v.string(),
  page: about(v.picklist(['inbox', 'history']), 'The page it narrows.'),
  query: v.string(),
})
export type SavedView = Infer<typeof SavedView>

/** `GET /v1/me/views`. */
export const SavedViewList = object({
  views: about(v.array(SavedView), 'By name.'),
})
export type SavedViewList = Infer<typeof SavedViewList>

/** `POST /v1/me/views`. */
export const SavedViewBody = object({ name: viewName, page: oneOf('inbox', 'history'), query })
export type SavedViewBody = Given<typeof SavedViewBody>

/** `POST /v1/me/views/:view`. */
export const SavedViewChange = object({
  name: optional(viewName),
  query: optional(query),
})
export type SavedViewChange = Given<typeof SavedViewChange>
