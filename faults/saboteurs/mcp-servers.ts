import type { Saboteur } from './saboteur.ts'

const unchosen = { tests: ['test/mcp/unchosen.test.ts'] } as const
const unreadable = { tests: ['test/mcp/unreadable.test.ts'] } as const
const exact = { tests: ['test/mcp/exact.test.ts'] } as const
const slow = { tests: ['test/mcp/slow.test.ts'] } as const
const prompts = { tests: ['test/mcp/prompts-and-resources.test.ts'] } as const
const sse = { tests: ['test/mcp/sse.test.ts'] } as const
const egress = { tests: ['test/mcp/egress.test.ts'] } as const
const paramHeaders = { tests: ['test/mcp/param-headers.test.ts'] } as const
const inputRequired = { tests: ['test/mcp/input-required.test.ts'] } as const
const reads = { tests: ['test/mcp/reads-ask.test.ts', 'test/mcp/reads-declared.test.ts'] } as const
const changed = { tests: ['test/mcp/faults.test.ts'] } as const

export const MCP_SERVER_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a read that asks is passed on without asking',
    file: 'src/gateway/downstream/shelf-requests.ts',
    before: "if ((await admit(access)) === 'ask') {",
    after: "if ((await admit(access)) === 'ask' && meta?.never) {",
    caughtBy: reads,
  },
  {
    name: 'something that asks is completed',
    file: 'src/gateway/downstream/shelf-requests.ts',
    before: "if ((await admit(access)) === 'allow') return",
    after: "if ((await admit(access)) !== 'allow') return",
    caughtBy: reads,
  },
  {
    name: 'what a server declares of its effects is not heard',
    file: 'src/gateway/upstream/declared-effects.ts',
    before: "return readOnlyHint === true ? undefined : 'L2'",
    after: "return readOnlyHint !== 'never' ? undefined : 'L2'",
    caughtBy: reads,
  },
  {
    name: 'governance that asks is not heard for reads',
    file: 'src/policy/evaluate/access.ts',
    before: "if (governance.some(({ level }) => level > 0)) return { verdict: 'ask' }",
    after: "if (governance.some(({ level }) => level > 3)) return { verdict: 'ask' }",
    caughtBy: reads,
  },
  {
    name: 'the word for reads is not the word of the file',
    file: 'src/policy/evaluate/declared.ts',
    before: 'const word = entry[kind]',
    after: "const word = entry[kind] && 'allow'",
    caughtBy: reads,
  },
  {
    name: 'a header may say something else than its argument',
    file: 'src/gateway/protocol/param-headers.ts',
    before: "if (typeof value !== 'number') return said === String(value)",
    after: "if (typeof value !== 'number') return true",
    caughtBy: paramHeaders,
  },
  {
    name: 'a header of an argument may be missing',
    file: 'src/gateway/protocol/param-headers.ts',
    before: 'const said = header === null ? undefined : readHeaderValue(header)',
    after: 'if (header === null) return true\n  const said = readHeaderValue(header)',
    caughtBy: paramHeaders,
  },
  {
    name: 'a header without its argument is ignored',
    file: 'src/gateway/protocol/param-headers.ts',
    before: 'if (value === undefined) return header === null',
    after: 'if (value === undefined) return true',
    caughtBy: paramHeaders,
  },
  {
    name: 'base64 in a header is read leniently',
    file: 'src/gateway/protocol/header-value.ts',
    before: "if (bytes.toString('base64') !== coded) return undefined",
    after: 'if (bytes.length > 1e9) return undefined',
    caughtBy: paramHeaders,
  },
  {
    name: 'a tool names a header with a line break in it',
    file: 'src/gateway/protocol/param-headers.ts',
    before: "if (typeof name !== 'string' || !TOKEN.test(name))",
    after: "if (typeof name !== 'string' || name === '')",
    caughtBy: paramHeaders,
  },
  {
    name: 'a client is asked for what it did not declare',
    file: 'src/gateway/downstream/client.ts',
    before: 'if (!required) return ask(',
    after: 'if (required || !required) return ask(',
    caughtBy: inputRequired,
  },
  {
    name: 'a client that cannot show questions is asked',
    file: 'src/gateway/downstream/client.ts',
    before:
      "return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation))",
    after: 'return elicitation === undefined || elicitation !== undefined',
    caughtBy: unchosen,
  },
  {
    name: 'an approved call goes to a server that has not said what it does',
    file: 'src/gateway/upstream/server-requests.ts',
    before: 'if (on && on.connection !== upstream) {',
    after: 'if (on && on.connection === null) {',
    caughtBy: changed,
  },
  {
    name: 'an answer that cannot be read is answered as if it were a request',
    file: 'src/gateway/protocol/request-id.ts',
    before: "!members?.some(({ key }) => key === 'method')",
    after: 'members === undefined',
    caughtBy: unreadable,
  },
  {
    name: 'a result loses the numbers that JavaScript does not keep',
    file: 'src/gateway/protocol/message.ts',
    before: 'return exact.get(result) ?? result',
    after: 'return result',
    caughtBy: exact,
  },
  {
    name: 'a token in the environment of a server is shown in its results',
    file: 'src/gateway/upstream/upstream-spec.ts',
    before: 'isSecretName(name) ||',
    after: '',
    caughtBy: exact,
  },
  {
    name: 'an admin in a browser reaches every port of the server’s machine',
    file: 'src/app/mcp-gateway.ts',
    before: "if (spec?.kind === 'http') assertAllowed(spec, hosts)",
    after: "if (spec?.kind === 'http') assertAllowed(spec, [spec.url.host])",
    caughtBy: { tests: ['test/studio/add-server.test.ts'] },
  },
  {
    name: 'one server that hangs delays all of them',
    file: 'src/gateway/upstream/connections.ts',
    before: 'return inTime(connecting, ms)',
    after: 'return ms ? connecting : connecting',
    caughtBy: slow,
  },
  {
    name: 'of two tools of one name the last one is offered',
    file: 'src/gateway/upstream/catalog.ts',
    before: 'if (names.has(tool.name)) twice.add(tool.name)',
    after: 'if (names.has(tool.name)) twice.delete(tool.name)',
    caughtBy: { tests: ['test/threats/gateway.test.ts'] },
  },
  {
    name: 'a tool that is listed again is what it was before',
    file: 'src/gateway/upstream/catalog.ts',
    before: 'const text = JSON.stringify([tool, said ?? null, definition])',
    after: 'const text = JSON.stringify([tool, said ?? null])',
    caughtBy: changed,
  },
  {
    name: 'another address under an alias keeps the pins of the first',
    file: 'src/gateway/upstream/pins.ts',
    before: "digestOf('mcp pins', [spec.alias, identity])",
    after: "digestOf('mcp pins', [spec.alias, identity.slice(0, 0)])",
    caughtBy: { tests: ['test/threats/gateway.test.ts'] },
  },
  {
    name: 'the request that ends a session goes unchecked',
    file: 'src/gateway/upstream/http-transport.ts',
    before: 'new Agent({ lookup, timeout: 2_000 })',
    after: 'new Agent({ timeout: 2_000 })',
    caughtBy: egress,
  },
  {
    name: 'of two servers with one template the first is read',
    file: 'src/gateway/upstream/prompts-and-resources.ts',
    before: '[...listing, ...fitting].map(',
    after: '[...listing, ...fitting.slice(0, 1)].map(',
    caughtBy: prompts,
  },
  {
    name: 'a result nested too deeply leaves its call without an answer',
    file: 'src/gateway/protocol/message.ts',
    before: 'if (isTooDeep(result ?? error)) throw notAMessage()',
    after: 'if (isTooDeep === undefined) throw notAMessage()',
    caughtBy: { tests: ['test/mcp/odd.test.ts'] },
  },
  {
    name: 'a server of HTTP+SSE names an address elsewhere',
    file: 'src/gateway/upstream/sse-transport.ts',
    before: 'named.origin === url.origin && ',
    after: '',
    caughtBy: sse,
  },
  {
    name: 'a server of HTTP+SSE changes its address later',
    file: 'src/gateway/upstream/sse-transport.ts',
    before: 'if (endpoint) {',
    after: 'if (endpoint && data.length < 0) {',
    caughtBy: sse,
  },
  {
    name: 'the stream of HTTP+SSE goes wherever the name leads',
    file: 'src/gateway/upstream/sse-transport.ts',
    before: 'maxSockets: 256, lookup }',
    after: 'maxSockets: 256 }',
    caughtBy: sse,
  },
]
