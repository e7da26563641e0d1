import type { Saboteur } from '../saboteur.ts'

const signIn = { tests: ['test/mcp/sign-in.test.ts'] } as const
const hostile = { tests: ['test/mcp/sign-in-hostile.test.ts'] } as const
const attacks = { tests: ['test/mcp/sign-in-attacks.test.ts'] } as const

export const MCP_SIGN_IN_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a sign-in takes the description of another server',
    file: 'src/gateway/upstream/oauth/discovery.ts',
    before: "if (!named || !isOwn || named.hash !== '') {",
    after: "if (!named || named.hash !== '') {",
    caughtBy: hostile,
  },
  {
    name: 'a sign-in takes an issuer that says it is another one',
    file: 'src/gateway/upstream/oauth/discovery.ts',
    before: "if (typeof said !== 'string' || bare(said) !== bare(issuer)) {",
    after: "if (typeof said !== 'string') {",
    caughtBy: hostile,
  },
  {
    name: 'a sign-in goes on without PKCE',
    file: 'src/gateway/upstream/oauth/discovery.ts',
    before: "if (!words('code_challenge_methods_supported').includes('S256')) {",
    after: "if (words('code_challenge_methods_supported').includes('none')) {",
    caughtBy: hostile,
  },
  {
    name: 'an issuer sends the browser anywhere',
    file: 'src/gateway/upstream/oauth/discovery.ts',
    before: "if (!url || !isUsable || url.username !== '' || url.hash !== '') {",
    after: 'if (!url) {',
    caughtBy: hostile,
  },
  {
    name: 'a sign-in reaches addresses of a private network',
    file: 'src/gateway/upstream/oauth/checked-fetch.ts',
    before: 'await destinationsOf(url, allowHosts, resolveAll)',
    after: 'await destinationsOf(url, [url.host], resolveAll)',
    caughtBy: hostile,
  },
  {
    name: 'an answer counts at the address of another issuer',
    file: 'src/gateway/upstream/oauth/sign-ins.ts',
    before: "if (attempt.place !== place) throw new Error('the answer is from another issuer')",
    after: "if (place === '') throw new Error('the answer is from another issuer')",
    caughtBy: hostile,
  },
  {
    name: 'an answer counts for another admin',
    file: 'src/gateway/upstream/oauth/sign-ins.ts',
    before:
      'const isTheirs = attempt?.by.issuer === by.issuer && attempt.by.subject === by.subject',
    after: 'const isTheirs = attempt?.by.issuer === by.issuer',
    caughtBy: hostile,
  },
  {
    name: 'a client made by hand is used at any issuer',
    file: 'src/gateway/upstream/oauth/sign-ins.ts',
    before: 'if (made && made.issuer !== server.issuer) {',
    after: "if (made && made.issuer === '') {",
    caughtBy: hostile,
  },
  {
    name: 'tokens are not bound to where they may go',
    file: 'src/gateway/upstream/oauth/sign-in-record.ts',
    before:
      '...[id, resource, server.issuer, server.token_endpoint, server.revocation_endpoint ?? null],',
    after: '...[server.issuer],',
    caughtBy: hostile,
  },
  {
    name: 'a token may hold a line break',
    file: 'src/gateway/upstream/oauth/oauth-client.ts',
    before: 'if (token.length > LONGEST_TOKEN || !TOKEN.test(token)) {',
    after: 'if (token.length > LONGEST_TOKEN * 1_000) {',
    caughtBy: hostile,
  },
  {
    name: 'a call that was refused is sent again with another token',
    file: 'src/gateway/upstream/signed-messages.ts',
    before: "isFirst && !('method' in message && message.method === 'tools/call')",
    after: 'isFirst',
    caughtBy: signIn,
  },
  {
    name: 'a token stands in results',
    file: 'src/gateway/upstream/upstream-spec.ts',
    before: "const tokens = spec.kind === 'http' ? (spec.credentials?.secrets ?? []) : []",
    after: 'const tokens: readonly string[] = []',
    caughtBy: signIn,
  },
  {
    name: 'a token stands in results of calls that were approved',
    file: 'src/gateway/upstream/server-requests.ts',
    before: '(tokens !== undefined && tokens.length > 0)',
    after: '(tokens === undefined && spec.alias === undefined)',
    caughtBy: signIn,
  },
  {
    name: 'a session that began without a sign-in never takes one',
    file: 'src/gateway/upstream/http-transport.ts',
    before: 'const unfollow = credentials?.onChange(() => {\n    needsNone = false',
    after: 'const unfollow = credentials?.onChange(() => {\n    needsNone &&= true',
    caughtBy: signIn,
  },
  {
    name: 'two processes use one refresh token',
    file: 'src/gateway/upstream/oauth/signed-in.ts',
    before: "const mine = { expect: 'absent', expiresAt } as const",
    after: 'const mine = { expiresAt } as const',
    caughtBy: signIn,
  },
  {
    name: 'a sign-in that was taken back is still used',
    file: 'src/gateway/upstream/oauth/signed-in.ts',
    before: 'if (isFinal(error)) return lose(',
    after: 'if (isFinal(error)) return { kept, revision, secrets }\n      if (!kept) return lose(',
    caughtBy: signIn,
  },
  {
    name: 'a new sign-in begins with the revision of the one before',
    file: 'src/gateway/upstream/oauth/sign-ins.ts',
    before: 'value: { ended: true }, expect: found.revision',
    after: 'expect: found.revision',
    caughtBy: attacks,
  },
  {
    name: 'a sign-in under way is not bound to where its secrets go',
    file: 'src/gateway/upstream/oauth/sign-ins.ts',
    before: "about('attempt', { resource, server: issuedBy, client }),",
    after: 'typeof about,',
    caughtBy: attacks,
  },
  {
    name: 'a server fills the row of its sign-in with scopes',
    file: 'src/gateway/upstream/oauth/signed-in.ts',
    before: '.slice(0, MOST_SCOPES)',
    after: '.slice(0, MOST_SCOPES * 1_000)',
    caughtBy: attacks,
  },
  {
    name: 'tokens that come after a sign-out live on',
    file: 'src/gateway/upstream/oauth/signed-in.ts',
    before: 'if (now?.secrets.access !== next.access) {',
    after: "if (next.access === '') {",
    caughtBy: attacks,
  },
  {
    name: 'a process ends the turn of another one to renew a token',
    file: 'src/gateway/upstream/oauth/signed-in.ts',
    before: 'if (isPlainObject(value) && value.by === by)',
    after: 'if (isPlainObject(value))',
    caughtBy: attacks,
  },
  {
    name: 'a server on the public internet leads into a private network',
    file: 'src/gateway/upstream/oauth/discovery.ts',
    before: 'allowHosts.includes(url.hostname) ? allowHosts : []',
    after: 'allowHosts.includes(url.hostname) ? allowHosts : allowHosts',
    caughtBy: attacks,
  },
]
