import { type Contracts, EMPTY, PEOPLE } from '../contract.ts'
import {
  AuthorizationServer,
  ClientAnswerBody,
  ClientRedirect,
  ClientRequestAnswer,
  ClientRequestBody,
  ConnectionList,
  OAuthTokens,
  ProtectedResource,
} from '../oauth/oauth.ts'

const resource = {
  tag: 'OAuth',
  who: ['anyone'],
  provesItself: true,
  summary: 'Which authorization server gives tokens for `/mcp` (RFC 9728).',
  answer: 'Metadata of the protected resource.',
  responses: { 200: ProtectedResource },
} as const

/** MCP clients that people allow to call tools for them. */
export const oauthContracts = {
  'GET /.well-known/oauth-protected-resource': resource,
  'GET /.well-known/oauth-protected-resource/mcp': resource,
  'GET /.well-known/oauth-authorization-server': {
    tag: 'OAuth',
    who: ['anyone'],
    provesItself: true,
    summary: 'Where the endpoints of OAuth are, and what they take (RFC 8414).',
    answer: 'Metadata of the authorization server.',
    responses: { 200: AuthorizationServer },
  },
  'POST /oauth/token': {
    tag: 'OAuth',
    who: ['anyone'],
    provesItself: true,
    summary: 'Exchange a code, or a refresh token, for tokens. The body is a form.',
    answer: 'An access token for `/mcp`, and the refresh token to use next.',
    responses: { 200: OAuthTokens },
    oauthErrors: true,
  },
  'POST /oauth/revoke': {
    tag: 'OAuth',
    who: ['anyone'],
    provesItself: true,
    summary: 'Revoke a connection by one of its tokens (RFC 7009). The body is a form.',
    answer: 'Nothing; the same for a token that is not known.',
    responses: { 200: EMPTY },
    oauthErrors: true,
  },
  'POST /v1/oauth/requests': {
    tag: 'OAuth',
    who: ['approver', 'author', 'admin'],
    summary: 'Read what an MCP client asks of the reader. Its metadata document is fetched.',
    body: ClientRequestBody,
    answer: 'What to ask the reader; or where to send the browser, where nothing is to be asked.',
    responses: { 200: ClientRequestAnswer },
  },
  'POST /v1/oauth/answers': {
    tag: 'OAuth',
    who: ['approver', 'author', 'admin'],
    summary: 'Allow or refuse the client of a request, once.',
    body: ClientAnswerBody,
    answer: 'Where to send the browser.',
    responses: { 200: ClientRedirect },
  },
  'GET /v1/oauth/connections': {
    tag: 'OAuth',
    who: PEOPLE,
    summary: 'The MCP clients that act for the reader.',
    answer: 'A list of connections.',
    responses: { 200: ConnectionList },
  },
  'DELETE /v1/oauth/connections/:prefix': {
    tag: 'OAuth',
    who: PEOPLE,
    summary: 'End a connection of the reader. Its tokens are worth nothing from then on.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
    evenLocked: true,
  },
} as const satisfies Contracts
