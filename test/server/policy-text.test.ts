import { expect, test } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { rulesText } from '../../src/policy/tooling/rules-text.ts'
import { promise } from '../support/promise.ts'
import { HOST, running } from './harness.ts'

const SECRETS = ['Bearer s3cr3t-header', 's3cr3t-env', 's3cr3t-arg', 's3cr3t-query', 's3cr3t-note']

const POLICY = `version: 1
# rotate on Monday: s3cr3t-note
tools: { pay: { approval: { condition: { args_match: { amount: { gt: 100 } } } } } }
mcp_servers:
  - alias: bank
    url: https://bank.example/mcp?key=s3cr3t-query
    headers: { authorization: "Bearer s3cr3t-header" }
    approval: false
  - alias: files
    command: npx
    args: ["--token=s3cr3t-arg"]
    env: { API_KEY: "s3cr3t-env" }
    allowed_tools: [{ name: read, approval: false }, write]
people:
  groups:
    ops: { claim: ops, on_call: { calendar: "https://calendar.example/s3cr3t-query.ics" } }
remote_agents:
  - { alias: helper, url: "https://helper.example/?key=s3cr3t-query" }
`

promise(
  ['CS-AGENT-2'],
  'B7-17: agents and viewers get the rules of the policy without how its servers are reached',
  async () => {
    const { send, agent, person } = running({ policy: POLICY })
    const bot = await agent('bot')
    const viewer = await person('vi@example.com', ['viewer'])
    const approver = await person('ana@example.com')
    for (const as of [bot, viewer, approver]) {
      const text = JSON.stringify((await send('/v1/policy', { as })).body)
      for (const secret of SECRETS) expect(text).not.toContain(secret)
      expect(text).toContain('args_match')
    }
    const admin = await person('root@example.com', ['viewer', 'admin'])
    const whole = await send('/v1/policy', { as: admin })
    for (const secret of SECRETS) expect(JSON.stringify(whole.body)).toContain(secret)
    // Neither is taken for the other by a cache.
    const etag = (await send('/v1/policy', { as: bot })).headers.get('etag') ?? ''
    const headers = { 'if-none-match': etag }
    expect((await send('/v1/policy', { as: bot, headers })).status).toBe(304)
    expect((await send('/v1/policy', { as: admin, headers })).status).toBe(200)
  },
)

test('a remote gate still answers by the same rules', async () => {
  const { server, agent } = running({ policy: POLICY })
  const { authorization = '' } = await agent('bot')
  const sent: string[] = []
  const gate = remoteGate({
    url: `http://${HOST}`,
    token: authorization.replace('Bearer ', ''),
    async fetch(input, init) {
      const { pathname } = new URL(String(input))
      sent.push(pathname)
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      return server.app.request(pathname, { ...init, headers })
    },
  })
  const run = (call: object) =>
    gate.run({ args: {}, ...call } as never, () => 'ran', { wait: false })
  expect(await run({ tool: 'pay', args: { amount: 5 } })).toMatchObject({ result: 'ran' })
  expect(await run({ tool: 'x', server: 'bank' })).toMatchObject({ result: 'ran' })
  expect(await run({ tool: 'read', server: 'files' })).toMatchObject({ result: 'ran' })
  expect(sent).not.toContain('/v1/calls')
  expect(await run({ tool: 'pay', args: { amount: 500 } })).toMatchObject({ status: 'pending' })
  expect(await run({ tool: 'delete', server: 'files' })).toMatchObject({
    status: 'blocked',
    code: 'denied_by_policy',
  })
})

test.each([
  ['countersign.yaml', POLICY],
  [
    'numbers',
    'version: 1\ntools: { a: { approval: { condition: { args_match: { n: 1.50, m: "010", o: -12, p: "yes", q: true } } } } }',
  ],
  [
    'odd keys',
    'version: 1\ntools: { a: { secrets: ["a.b", "toString"], approval: { condition: { args_match: { "valueOf": x, "a\\\\.b": "\\u2028 é 😀" } } } } }',
  ],
  [
    'an Agent Format file',
    `schema_version: "1.0.0"
metadata: { id: org.example.agent, name: Agent, version: 1.0.0 }
interface: { input: { type: object }, output: { type: object } }
action_space:
  local_tools: [{ alias: pay, approval: true, config: { key: s3cr3t-env } }]
  mcp_servers: [{ alias: bank, url: "https://bank.example", headers: { authorization: "Bearer s3cr3t-header" }, config: { key: s3cr3t-env } }]
execution_policy: { id: agf.react, config: { instructions: x } }
`,
  ],
])('the rules of %s are the same without connections', (_, text) => {
  const file = 'policy.yaml'
  const shown = rulesText({ file, text })
  for (const secret of SECRETS) expect(shown).not.toContain(secret)
  const rules = (source: string) => {
    const { owner, governance } = parsePolicy({ owner: { file, text: source } })
    const plain = (key: string, value: unknown) =>
      ['place', 'connection', 'warnings', 'source', 'calendar'].includes(key)
        ? undefined
        : value instanceof Map
          ? [...value]
          : value
    return JSON.parse(JSON.stringify([owner, governance], plain))
  }
  expect(rules(shown)).toEqual(rules(text))
})

/** As it is written in a policy file. */
const variable = (name: string) => ['$', '{', name, '}'].join('')

test('a literal credential in the policy is a warning that names where it stands', () => {
  const { warnings } = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  const literal = warnings.filter(({ kind }) => kind === 'literal_secret')
  expect(literal.map(({ path }) => path)).toEqual([
    'mcp_servers[0].headers.authorization',
    'mcp_servers[1].env.API_KEY',
  ])
  expect(literal[0]?.message).toContain(variable('AUTHORIZATION'))
  expect(JSON.stringify(literal)).not.toContain('s3cr3t')
  const safe = POLICY.replace('Bearer s3cr3t-header', `Bearer ${variable('BANK_TOKEN')}`).replace(
    's3cr3t-env',
    variable('FILES_KEY'),
  )
  const clean = parsePolicy({ owner: { file: 'countersign.yaml', text: safe } }).warnings
  expect(clean.filter(({ kind }) => kind === 'literal_secret')).toEqual([])
})
