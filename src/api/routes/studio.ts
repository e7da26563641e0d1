import { type Contracts, EMPTY } from '../contract.ts'
import {
  PublishAnswer,
  PublishBody,
  RunToolBody,
  SaveToolBody,
  SecretBody,
  StudioList,
  StudioTool,
  StudioVersion,
  WireToolRun,
} from '../studio/studio.ts'

const authors = { tag: 'Studio', who: ['author', 'admin'] } as const
const nothing = { answer: 'Nothing.', responses: { 204: EMPTY } } as const

/** Tools that people write in the inbox. A server without a studio has none of these routes. */
export const studioContracts = {
  'GET /v1/studio/tools': {
    ...authors,
    summary: 'The tools of the studio: risk, whether people are asked, and what is published.',
    answer: 'A list of tools, by name.',
    responses: { 200: StudioList },
  },
  'GET /v1/studio/tools/:name': {
    ...authors,
    summary: 'One tool: its draft, what is published, and the names of its secrets.',
    answer: 'The tool.',
    responses: { 200: StudioTool },
  },
  'PUT /v1/studio/tools/:name': {
    ...authors,
    summary: 'Save a draft. It cannot be called until it is published.',
    body: SaveToolBody,
    answer: 'The tool.',
    responses: { 200: StudioTool },
    errors: ['call_changed'],
  },
  'DELETE /v1/studio/tools/:name': {
    ...authors,
    summary: 'Unpublish a tool and remove its draft. Its versions stay on record.',
    ...nothing,
  },
  'POST /v1/studio/tools/:name/run': {
    ...authors,
    summary: 'Run a draft in the sandbox, for its author alone.',
    body: RunToolBody,
    answer: 'What it logged, how long it took, and its result or error.',
    responses: { 200: WireToolRun },
  },
  'POST /v1/studio/tools/:name/publish': {
    ...authors,
    summary: 'Run the stored test and, if it passes, serve the draft as the next version.',
    body: PublishBody,
    answer: 'The run of the test, and the version.',
    responses: { 200: PublishAnswer },
    errors: ['call_changed', 'lowering_unconfirmed'],
  },
  'POST /v1/studio/tools/:name/unpublish': {
    ...authors,
    summary: 'Take a tool out of service. Its draft stays.',
    ...nothing,
  },
  'GET /v1/studio/tools/:name/versions/:version': {
    ...authors,
    summary: 'A tool as it was published once.',
    answer: 'The version.',
    responses: { 200: StudioVersion },
  },
  'PUT /v1/studio/tools/:name/secrets/:secret': {
    ...authors,
    summary: 'Give a secret of a tool its value, for the hosts its draft names now.',
    body: SecretBody,
    ...nothing,
    errors: ['call_changed'],
  },
  'DELETE /v1/studio/tools/:name/secrets/:secret': {
    ...authors,
    summary: 'Remove the value of a secret.',
    ...nothing,
  },
} as const satisfies Contracts
