import {
  type AuthorizationServer,
  OAUTH_SCOPE,
  type ProtectedResource,
} from '../../api/oauth/oauth.ts'

/** What tokens are given for: the address of `/mcp`. */
export function resourceAt(home: string): string {
  return `${home}/mcp`
}

export function protectedResource(home: string): ProtectedResource {
  return {
    resource: resourceAt(home),
    authorization_servers: [home],
    scopes_supported: [OAUTH_SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Countersign',
  }
}

export function authorizationServer(home: string): AuthorizationServer {
  return {
    issuer: home,
    authorization_endpoint: `${home}/oauth/authorize`,
    token_endpoint: `${home}/oauth/token`,
    revocation_endpoint: `${home}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [OAUTH_SCOPE],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}

/** Sent with 401 at `/mcp`: where a client learns how to get a token (RFC 9728). */
export function challengeAt(home: string): string {
  return `resource_metadata="${home}/.well-known/oauth-protected-resource/mcp", scope="${OAUTH_SCOPE}"`
}
