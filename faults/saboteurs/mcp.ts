import type { Saboteur } from './saboteur.ts'

const question = { tests: ['src/mcp/question.test.ts'] } as const
const unchosen = { tests: ['test/mcp/unchosen.test.ts'] } as const
const asking = { tests: ['test/mcp/own-server.test.ts'] } as const
const access = { tests: ['test/mcp/access.test.ts'] } as const
const revoked = { tests: ['test/mcp/revoked.test.ts'] } as const
const unreadable = { tests: ['test/mcp/unreadable.test.ts'] } as const
const exact = { tests: ['test/mcp/exact.test.ts'] } as const
const slow = { tests: ['test/mcp/slow.test.ts'] } as const
const restart = { tests: ['test/mcp/restart.test.ts'] } as const
const changed = { tests: ['test/mcp/faults.test.ts'] } as const

export const MCP_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a client hears of the calls of another person’s',
    file: 'src/mcp/own-tools.ts',
    before: 'return isTheirs ? approval : undefined',
    after: 'return isTheirs || agent ? approval : undefined',
    caughtBy: { tests: ['test/mcp/two-people.test.ts'] },
  },
  {
    name: 'a question in the client leaves arguments out',
    file: 'src/mcp/question.ts',
    before: "const rows = rowsOf(args, '')",
    after: "const rows = rowsOf(args, '').slice(0, 1)",
    caughtBy: question,
  },
  {
    name: 'a question in the client steers the terminal',
    file: 'src/mcp/question.ts',
    before:
      "wrap(escapeUnseen(line).replaceAll('\\n', '\\\\n'), QUESTION_COLUMNS))\n  return lines",
    after: 'wrap(line, QUESTION_COLUMNS))\n  return lines',
    caughtBy: question,
  },
  {
    name: 'a question in the client is as wide as its arguments',
    file: 'src/mcp/question.ts',
    before: 'QUESTION_COLUMNS))\n  return lines',
    after: 'QUESTION_COLUMNS * 9))\n  return lines',
    caughtBy: question,
  },
  {
    name: 'what does not fit into a question is asked all the same',
    file: 'src/mcp/question.ts',
    before: 'return lines.length > QUESTION_LINES ? undefined',
    after: 'return lines.length > QUESTION_LINES * 9 ? undefined',
    caughtBy: question,
  },
  {
    name: 'a server passes its question off as ours',
    file: 'src/mcp/question.ts',
    before: "if (method !== 'elicitation/create') return params",
    after: "if (method !== '') return params",
    caughtBy: question,
  },
  {
    name: 'an empty form is a yes',
    file: 'src/mcp/elicit.ts',
    before: "if (!isPlainObject(content) || Object.keys(content).length !== 1) return 'none'",
    after: "if (!isPlainObject(content) || Object.keys(content).length !== 1) return 'approve'",
    caughtBy: unchosen,
  },
  {
    name: 'the form in the client has no field',
    file: 'src/mcp/elicit.ts',
    before: 'requestedSchema: DECISION }',
    after: "requestedSchema: { ...DECISION, type: 'object', properties: {}, required: [] } }",
    caughtBy: asking,
  },
  {
    name: 'opening the card is a yes',
    file: 'src/mcp/elicit.ts',
    before: "if (way === 'url') return 'opened'",
    after: "if (way === 'url') return 'approve'",
    caughtBy: unchosen,
  },
  {
    name: 'a client that cannot show questions is asked',
    file: 'src/mcp/client.ts',
    before:
      "return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation))",
    after: 'return elicitation === undefined || elicitation !== undefined',
    caughtBy: unchosen,
  },
  {
    name: 'other people’s questions are put to the client',
    file: 'src/mcp/elicit.ts',
    before: "if (approval.level !== 'confirm') return undefined",
    after: '',
    caughtBy: unchosen,
  },
  {
    name: 'the result of an approved call is its first text',
    file: 'src/mcp/call-result.ts',
    before: 'if (!edited) return result',
    after: 'if (!edited) return { content: [(result.content as Json[])[0] as Json] }',
    caughtBy: { tests: ['test/mcp/results.test.ts'] },
  },
  {
    name: 'locks know tools alone',
    file: 'src/gate/access.ts',
    before: 'if (barred) throw',
    after: "if (barred && access.kind === 'other') throw",
    caughtBy: access,
  },
  {
    name: 'resources are read whatever the policy says',
    file: 'src/gate/access.ts',
    before: 'if (denied !== undefined) throw',
    after: "if (denied === '') throw",
    caughtBy: access,
  },
  {
    name: 'whatever is to be completed is passed on',
    file: 'src/mcp/session.ts',
    before: "const uri = ref?.type === 'ref/resource' ? textIn(ref, 'uri') : undefined",
    after: "const uri = textIn(ref, 'uri') ?? ''",
    caughtBy: access,
  },
  {
    name: 'what is no tool is not written down',
    file: 'src/mcp/session.ts',
    before: "said('allowed')",
    after: '',
    caughtBy: access,
  },
  {
    name: 'the sessions of a revoked token go on',
    file: 'src/cli/mcp-door.ts',
    before: 'leave = store.onAmended(() => void endpoint.recheck().catch(() => {}))',
    after: '',
    caughtBy: revoked,
  },
  {
    name: 'a yes is spent for a token that was revoked',
    file: 'src/gate/claim.ts',
    before: 'if (standing.isValid && !(await standing.isValid())) {',
    after: 'if (standing.isValid && approval.id === undefined) {',
    caughtBy: revoked,
  },
  {
    name: 'a call between two requests outlives its client',
    file: 'src/mcp/modern-call.ts',
    before: "for (const { stop } of open) stop.abort('closed')",
    after: "for (const { job } of jobs.values()) job.stop.abort('closed')",
    caughtBy: revoked,
  },
  {
    name: 'a tool is not looked at again before its yes is spent',
    file: 'src/gate/run.ts',
    before: 'await digestDefinition(await definitionNow())',
    after: 'await digestDefinition((await definitionNow(), tool.definition))',
    caughtBy: changed,
  },
  {
    name: 'an approved call goes to a server that has not said what it does',
    file: 'src/mcp/session.ts',
    before: 'if (on && on.connection !== upstream) {',
    after: 'if (on && on.connection === null) {',
    caughtBy: changed,
  },
  {
    name: 'a request that cannot be read is answered under no id',
    file: 'src/mcp/stdio-server.ts',
    before: 'const id = line ? requestIdIn(line) : null',
    after: 'const id = line ? null : null',
    caughtBy: unreadable,
  },
  {
    name: 'an answer that cannot be read is answered as if it were a request',
    file: 'src/mcp/request-id.ts',
    before: "!members?.some(({ key }) => key === 'method')",
    after: 'members === undefined',
    caughtBy: unreadable,
  },
  {
    name: 'a result loses the numbers that JavaScript does not keep',
    file: 'src/mcp/exact-numbers.ts',
    before: 'return exact.get(result) ?? result',
    after: 'return result',
    caughtBy: exact,
  },
  {
    name: 'a token in the environment of a server is shown in its results',
    file: 'src/mcp/upstream-spec.ts',
    before: 'isSecretName(name) ||',
    after: '',
    caughtBy: exact,
  },
  {
    name: 'one server that hangs delays all of them',
    file: 'src/mcp/connections.ts',
    before: 'return inTime(connecting, ms)',
    after: 'return ms ? connecting : connecting',
    caughtBy: slow,
  },
  {
    name: 'a single server that does not start looks healthy',
    file: 'src/mcp/session.ts',
    before: 'if (isSingle && !only) throw broken()',
    after: '',
    caughtBy: slow,
  },
  {
    name: 'a yes is stranded by the end of its process',
    file: 'src/mcp/held-run.ts',
    before: 'if (!isHeld && run === undefined && (await take(one))) run = one',
    after: '',
    caughtBy: restart,
  },
  {
    name: 'a yes is used in front of a server with other settings',
    file: 'src/mcp/held-run.ts',
    before: 'await identityOf(spec), settings]',
    after: 'await identityOf(spec), settings.slice(0, 0)]',
    caughtBy: restart,
  },
  {
    name: 'two processes at once share a run',
    file: 'src/mcp/held-run.ts',
    before: 'const isHeld = (await records.get(HELD, one)) !== undefined',
    after: "const isHeld = (await records.remove(HELD, one))?.id === ''",
    caughtBy: restart,
  },
  {
    name: 'a request of the newer era does without its headers',
    file: 'src/mcp/http-endpoint.ts',
    before: 'if (!isWhole) {',
    after: 'if (isWhole === undefined) {',
    caughtBy: { tests: ['test/mcp/modern-http.test.ts'] },
  },
  {
    name: 'a tool that can never run is listed',
    file: 'src/mcp/session.ts',
    before: 'options.isOffered?.(server, tool) !== false',
    after: 'options.isOffered !== null',
    caughtBy: { tests: ['test/mcp/odd.test.ts'] },
  },
  {
    name: 'a link that signs in stands in the client’s log',
    file: 'src/cli/commands/mcp.ts',
    before: 'if (err.terminal) {',
    after: 'if (err.terminal !== undefined) {',
    caughtBy: { tests: ['test/mcp/servers.test.ts'] },
  },
  {
    name: 'a list is kept for as long as its server says',
    file: 'src/mcp/modern-result.ts',
    before:
      "    ...result,\n    ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),",
    after:
      "    ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),\n    ...result,",
    caughtBy: { tests: ['test/threats/gateway.test.ts'] },
  },
  {
    name: 'of two tools of one name the last one is offered',
    file: 'src/mcp/catalog.ts',
    before: 'if (names.has(tool.name)) twice.add(tool.name)',
    after: 'if (names.has(tool.name)) twice.delete(tool.name)',
    caughtBy: { tests: ['test/threats/gateway.test.ts'] },
  },
  {
    name: 'another address under an alias keeps the pins of the first',
    file: 'src/mcp/pins.ts',
    before: "digestOf('mcp pins', [spec.alias, identity])",
    after: "digestOf('mcp pins', [spec.alias, identity.slice(0, 0)])",
    caughtBy: { tests: ['test/threats/gateway.test.ts'] },
  },
]
