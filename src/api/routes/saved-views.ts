import { type Contracts, EMPTY, PEOPLE } from '../contract.ts'
import { SavedView, SavedViewBody, SavedViewChange, SavedViewList } from '../history/saved-views.ts'

/** Filters under a name. Each person has their own, on every machine they sign in on. */
export const savedViewContracts = {
  'GET /v1/me/views': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Your saved views of the inbox and of History.',
    answer: 'The views, by name.',
    responses: { 200: SavedViewList },
  },
  'POST /v1/me/views': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Save a filter under a name.',
    body: SavedViewBody,
    answer: 'The view.',
    responses: { 201: SavedView },
    errors: ['usage', 'invalid_value'],
  },
  'POST /v1/me/views/:view': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Rename a view, or change what it filters.',
    body: SavedViewChange,
    answer: 'The view.',
    responses: { 200: SavedView },
    errors: ['usage', 'invalid_value'],
  },
  'DELETE /v1/me/views/:view': {
    tag: 'People',
    who: PEOPLE,
    summary: 'Delete a view.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
  },
} as const satisfies Contracts
