import * as v from 'valibot'
import { about, flag, type Given, type Infer, object, optional, text, whole } from '../schema.ts'

/*
 * OAuth for MCP clients, as RFC 6749, 7009, 8414 and 9728 write it, and what the page of the inbox
 * needs to ask a person about a client.
 */

/** What a client may ask for: to call tools at `/mcp`. There is nothing else. */
export const OAUTH_SCOPE = 'tools'

/** RFC 9728. */
export const ProtectedResource = object({
  resource: v.string(),
  authorization_servers: v.array(v.string()),
  scopes_supported: v.array(v.string()),
  bearer_methods_supported: v.array(v.string()),
  resource_name: v.string(),
})
export type ProtectedResource = Infer<typeof ProtectedResource>

/** RFC 8414. */
export const AuthorizationServer = object({
  issuer: v.string(),
  authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  revocation_endpoint: v.string(),
  response_types_supported: v.array(v.string()),
  response_modes_supported: v.array(v.string()),
  grant_types_supported: v.array(v.string()),
  code_challenge_methods_supported: v.array(v.string()),
  token_endpoint_auth_methods_supported: v.array(v.string()),
  revocation_endpoint_auth_methods_supported: v.array(v.string()),
  scopes_supported: v.array(v.string()),
  authorization_response_iss_parameter_supported: v.boolean(),
  client_id_metadata_document_supported: v.boolean(),
})
export type AuthorizationServer = Infer<typeof AuthorizationServer>

/** `POST /oauth/token`. */
export const OAuthTokens = object({
  access_token: v.string(),
  token_type: v.literal('Bearer'),
  expires_in: about(whole(), 'Seconds.'),
  refresh_token: about(v.string(), 'Works once; the answer to it holds the next one.'),
  scope: v.string(),
})
export type OAuthTokens = Infer<typeof OAuthTokens>

/** The codes of RFC 6749 and RFC 8707 that the token endpoint answers. */
export const OAuthErrorCode = v.picklist([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unsupported_grant_type',
])
export type OAuthErrorCode = Infer<typeof OAuthErrorCode>

export const OAuthError = object({
  error: OAuthErrorCode,
  error_description: v.string(),
})
export type OAuthError = Infer<typeof OAuthError>

/** `POST /v1/oauth/requests`: what a client sent the browser here with. */
export const ClientRequestBody = object({
  query: about(text({ min: 1, max: 8_192 }), 'The query of the address that the client opened.'),
})
export type ClientRequestBody = Given<typeof ClientRequestBody>

/** A client that asks to call tools for the reader. */
export const ClientRequest = object({
  request: about(v.string(), 'Names the request when it is answered, once.'),
  client: object({
    id: about(v.string(), 'The address of its metadata document.'),
    host: about(v.string(), 'Whose document it is: the only thing about it that is proven.'),
    name: optional(about(v.string(), 'What it calls itself. Anyone can write any name there.')),
  }),
  redirect: object({
    host: about(v.string(), 'Where the browser goes with the answer.'),
    here: about(v.boolean(), 'A program on the machine of the reader.'),
    own: about(v.boolean(), 'The host of the client itself.'),
  }),
  agent: about(v.string(), 'The agent that rules will see.'),
  before: about(v.boolean(), 'The reader has allowed this client already.'),
})
export type ClientRequest = Infer<typeof ClientRequest>

/** Where the browser goes with an answer. */
export const ClientRedirect = object({
  to: v.string(),
})
export type ClientRedirect = Infer<typeof ClientRedirect>

/** `ask`: the reader has to answer. `to`: nothing is to be asked. */
export const ClientRequestAnswer = object({
  ask: optional(ClientRequest),
  to: optional(v.string()),
})
export type ClientRequestAnswer = Infer<typeof ClientRequestAnswer>

/** `POST /v1/oauth/answers`. */
export const ClientAnswerBody = object({
  request: text({ min: 1, max: 64 }),
  allow: flag,
})
export type ClientAnswerBody = Given<typeof ClientAnswerBody>

/** A client that acts for the reader. */
export const WireConnection = object({
  prefix: about(v.string(), 'Names the connection; its tokens begin with it.'),
  client: v.string(),
  host: v.string(),
  agent: v.string(),
  createdAt: whole(),
  expiresAt: whole(),
  lastUsedAt: optional(about(whole(), 'Exact to a few minutes.')),
})
export type WireConnection = Infer<typeof WireConnection>

export const ConnectionList = object({
  connections: v.array(WireConnection),
  now: whole(),
})
export type ConnectionList = Infer<typeof ConnectionList>
