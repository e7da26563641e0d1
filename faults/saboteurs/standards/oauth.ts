import type { Saboteur } from '../saboteur.ts'

const requests = { tests: ['test/server/oauth-hostile.test.ts'] } as const
const tokens = { tests: ['test/server/oauth-tokens-hostile.test.ts'] } as const
const flow = { tests: ['test/server/oauth.test.ts'] } as const
const gateway = { tests: ['test/mcp/oauth.test.ts'] } as const

export const OAUTH_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a document may name another client',
    file: 'src/server/oauth/client-document.ts',
    before: "if (member('client_id') !== id.href) {",
    after: "if (member('client_id') === undefined) {",
    caughtBy: requests,
  },
  {
    name: 'a client may be spelt in several ways',
    file: 'src/server/oauth/client-id.ts',
    before: 'if (url.href !== text)',
    after: 'if (url.href === "")',
    caughtBy: requests,
  },
  {
    name: 'a redirect may differ in its path',
    file: 'src/server/oauth/redirect-uri.ts',
    before: 'portless(one) === portless(asked)',
    after: 'one.hostname === asked.hostname',
    caughtBy: requests,
  },
  {
    name: 'a redirect may be spelt in several ways',
    file: 'src/server/oauth/redirect-uri.ts',
    before: "url.href === text && !text.includes('#')",
    after: "!text.includes('#')",
    caughtBy: requests,
  },
  {
    name: 'PKCE may be plain',
    file: 'src/server/oauth/authorization.ts',
    before: "if (sent.get('code_challenge_method') !== 'S256') {",
    after: "if (sent.get('code_challenge_method') === '') {",
    caughtBy: requests,
  },
  {
    name: 'a code is given for any resource',
    file: 'src/server/oauth/authorization.ts',
    before: "if (sent.get('resource') !== resource) {",
    after: "if (sent.get('resource') === '') {",
    caughtBy: requests,
  },
  {
    name: 'a code is exchanged without its verifier',
    file: 'src/server/oauth/connections.ts',
    before: 'VERIFIER.test(verifier) &&',
    after: 'VERIFIER.test(verifier) ||',
    caughtBy: tokens,
  },
  {
    name: 'a code of another client is exchanged',
    file: 'src/server/oauth/connections.ts',
    before: 'code.client === client &&',
    after: "client !== '' &&",
    caughtBy: tokens,
  },
  {
    name: 'a code that comes twice ends nothing',
    file: 'src/server/oauth/connections.ts',
    before: "      if (code.used) {\n        await end(code.connection, 'code_reused')",
    after: '      if (code.used) {',
    caughtBy: tokens,
  },
  {
    name: 'a refresh token that comes twice ends nothing',
    file: 'src/server/oauth/connections.ts',
    before: "await end(connection, 'refresh_reused')",
    after: 'await connectionOf(connection)',
    caughtBy: tokens,
  },
  {
    name: 'a refresh token of another client works',
    file: 'src/server/oauth/connections.ts',
    before: 'if (!token || token.client.id !== client) throw invalidGrant()',
    after: 'if (!token) throw invalidGrant()',
    caughtBy: tokens,
  },
  {
    name: 'a token of a client is good everywhere',
    file: 'src/server/http/route.ts',
    before: 'if (token.client === undefined || forClients) return',
    after: 'if (token.client === undefined || forClients !== false) return',
    caughtBy: tokens,
  },
  {
    name: 'a client outlives the role of its person',
    file: 'src/server/oauth/access.ts',
    before: "!account.roles.some((role) => role !== 'viewer')",
    after: 'account.roles.length === 0',
    caughtBy: tokens,
  },
  {
    name: 'another session answers for the one that was asked',
    file: 'src/server/oauth/consents.ts',
    before: 'found.session !== session.id ||',
    after: '',
    caughtBy: tokens,
  },
  {
    name: 'a program on a machine is let in without a question',
    file: 'src/server/oauth/routes.ts',
    before: 'if (before && !isOnTheirMachine(wanted.redirect)) {',
    after: 'if (before) {',
    caughtBy: flow,
  },
  {
    name: 'a client answers for the person who allowed it',
    file: 'src/app/mcp-routes.ts',
    before: 'isThere && !client ?',
    after: 'isThere ?',
    caughtBy: gateway,
  },
  {
    name: 'a client acts for no person',
    file: 'src/app/mcp-routes.ts',
    before: '        client?.person ??\n        (isThere ?',
    after: '        (isThere && !client ?',
    caughtBy: gateway,
  },
]
