import { type Contracts, EMPTY, PEOPLE, raw } from '../contract.ts'
import { PolicyDraft } from '../policy.ts'
import { about, flag } from '../schema.ts'
import {
  AcceptBody,
  AddServerBody,
  FinishedSignIn,
  FinishSignInBody,
  OwnClientDocument,
  PinnedTools,
  ServerList,
  SignInBegun,
  SignInBody,
  TestedServer,
  TestServerBody,
} from '../servers.ts'
import { SwitchBody, SwitchList, WireSwitch } from '../switches.ts'

const lowers = { lowers: about(flag, 'People will be asked less, and that is meant.') }
const setSwitch = {
  tag: 'Tools',
  who: ['admin'],
  body: SwitchBody,
  answer: 'The switch.',
  responses: { 200: WireSwitch },
  errors: ['switch_fixed', 'lowering_unconfirmed'],
} as const
const clearSwitch = {
  tag: 'Tools',
  who: ['admin'],
  query: lowers,
  answer: 'The switch as it was.',
  responses: { 200: WireSwitch },
  errors: ['lowering_unconfirmed'],
} as const
/** Responses of the Model Context Protocol have its own shapes. */
const mcp = {
  answer: 'As the Model Context Protocol says.',
  responses: { 200: raw('application/json'), 202: EMPTY, 204: EMPTY },
  forClients: true,
} as const

/** The servers behind the gate: what they offer, what is asked about it, and what changed. */
export const toolContracts = {
  'GET /v1/servers': {
    tag: 'Tools',
    who: PEOPLE,
    summary: 'The servers behind the gate and their tools: risk, what changed, and who is asked.',
    query: { held: about(flag, 'Only tools that are held back.') },
    answer: 'A list of servers, as of the last look at each.',
    responses: { 200: ServerList },
  },
  'POST /v1/servers/look': {
    tag: 'Tools',
    who: ['approver', 'admin'],
    summary: 'Connect to every server and list its tools. What is new or changed is noticed.',
    answer: 'The list of servers afterwards.',
    responses: { 200: ServerList },
  },
  'POST /v1/servers/test': {
    tag: 'Tools',
    who: ['admin'],
    summary:
      'Connect to a server that no file names yet, by its address or a confirmed command, and list its tools.',
    body: TestServerBody,
    answer: 'Its tools, or why it cannot be reached. Nothing is kept.',
    responses: { 200: TestedServer },
    errors: ['usage'],
  },
  'POST /v1/policy/draft/servers': {
    tag: 'Policy',
    who: ['admin'],
    summary:
      "Write a server into the owner's policy file. It is not in force before it is applied.",
    body: AddServerBody,
    answer: 'The draft afterwards, as `GET /v1/policy/draft`.',
    responses: { 200: PolicyDraft },
    errors: ['usage', 'policy_changed', 'policy_invalid', 'policy_unreadable'],
  },
  'POST /v1/servers/:server/sign-in': {
    tag: 'Tools',
    who: ['admin'],
    summary: 'Begin to sign in at a server whose users sign in by OAuth.',
    body: SignInBody,
    answer: 'Where to go, or what has to be made there first. Nothing is signed in yet.',
    responses: { 200: SignInBegun },
    errors: ['server_sign_in', 'usage'],
  },
  'DELETE /v1/servers/:server/sign-in': {
    tag: 'Tools',
    who: ['admin'],
    summary: 'Forget the tokens of a server, and tell its authorization server.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
  },
  'POST /v1/servers/sign-ins': {
    tag: 'Tools',
    who: ['admin'],
    summary: 'Finish a sign-in with what the browser came back with. For the admin who began it.',
    body: FinishSignInBody,
    answer: 'The alias of the server.',
    responses: { 200: FinishedSignIn },
    errors: ['server_sign_in'],
  },
  'GET /oauth/client/:place': {
    tag: 'Tools',
    who: ['anyone'],
    summary:
      'This server as a client of authorization servers of MCP servers: a client ID metadata document.',
    answer: 'The document.',
    responses: { 200: OwnClientDocument },
  },
  'GET /v1/switches': {
    tag: 'Tools',
    who: PEOPLE,
    summary: 'What was switched in the inbox, and what each switch changes.',
    answer: 'A list of switches.',
    responses: { 200: SwitchList },
  },
  'PUT /v1/servers/:server/switch': {
    ...setSwitch,
    summary:
      'Ask people about all other tools of a server, or do not. A file that says so has the last word.',
  },
  'DELETE /v1/servers/:server/switch': {
    ...clearSwitch,
    summary: 'Take the switch on a server away: what the files say counts again.',
  },
  'PUT /v1/servers/:server/tools/:tool/switch': {
    ...setSwitch,
    summary:
      'Ask people about one tool of a server, or do not. A file that says so has the last word.',
  },
  'DELETE /v1/servers/:server/tools/:tool/switch': {
    ...clearSwitch,
    summary: 'Take the switch on a tool away: what the files say counts again.',
  },
  'POST /v1/servers/:server/try': {
    tag: 'Tools',
    who: ['approver', 'admin'],
    summary: 'A server behind the gate as a client sees it, for the person who is signed in.',
    ...mcp,
  },
  'DELETE /v1/servers/:server/try': {
    tag: 'Tools',
    who: ['approver', 'admin'],
    summary: 'End such a session.',
    ...mcp,
  },
  'GET /v1/mcp/tools': {
    tag: 'Tools',
    who: PEOPLE,
    summary: 'Tools of MCP servers as first seen, and those held back because they changed.',
    answer: 'A list: server, tool, risk, definition; changed while it is held back.',
    responses: { 200: PinnedTools },
  },
  'POST /v1/mcp/tools/:id/accept': {
    tag: 'Tools',
    who: ['admin'],
    summary: 'Accept what a tool says about itself now.',
    body: AcceptBody,
    answer: 'Nothing.',
    responses: { 204: EMPTY },
    errors: ['call_changed'],
  },
  'POST /mcp': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'The tools of all MCP servers of the policy, behind the gate.',
    ...mcp,
  },
  'GET /mcp': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'What the servers say of their own accord, as a stream.',
    ...mcp,
  },
  'DELETE /mcp': {
    tag: 'Calls',
    who: ['agent'],
    summary: 'End an MCP session.',
    ...mcp,
  },
} as const satisfies Contracts
