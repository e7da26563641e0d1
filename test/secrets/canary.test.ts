import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { webhook } from '../../src/channels/webhook.ts'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { jsonSchema } from '../../src/gate/schema/json-schema.ts'
import type { ToolDefinition } from '../../src/gate/tool.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { countersign, folder as files } from '../cli/countersign.ts'
import { person } from '../gate/gates.ts'
import { answer as answerAt, connect, place, textOf } from '../mcp/gateway.ts'
import { HOST, running, type Sender } from '../server/harness.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { canaries, canary, databaseText, sinks } from './canaries.ts'

/*
 * Secrets that nothing else looks like go in by every door; then every place that anybody but the
 * tool can look at is searched for them. A place that builds its own view of a call shows up here.
 */

vi.setConfig({ testTimeout: 60_000 })

const POLICY = `version: 1
tools:
  vault:
    secrets: [hidden.deep]
    approval:
      message_template: "Use {{tool_args}} and {{tool_args.hidden.deep}} and {{tool_args.command}}?"
      approvers: ["*"]
      condition:
        - args_match: { "hidden.deep": { ne: x }, command: { ne: x }, password: { ne: x } }
local_agents:
  - alias: helper
    approval:
      message_template: "{{parent.input.token}} {{parent.input.text}}"
      condition: { args_match: { parent.input.token: { ne: x } } }
`

const DEFINITION: ToolDefinition = {
  inputSchema: { type: 'object', properties: { marked: { writeOnly: true } } },
}

const says = (door: string) => ({
  says: `I use password=${canary(`${door}-says`)}`,
  links: [`https://bo:${canary(`${door}-link`)}@example.com/`],
})

const ana = person('ana')

async function world() {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-canary-'))
  const file = path.join(folder, 'approvals.db')
  const store = await openSqlite(file)
  const own = running({ store, policy: POLICY })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const as = await own.person('ana@example.com')
  return { ...own, file, as, agent: await own.agent('bot') }
}

/** Waits for the next question and answers it. */
async function answer(gate: Gate, edit?: (args: object) => object) {
  const [approval] = await vi.waitUntil(async () => {
    const { approvals } = await gate.approvals.list({ status: ['pending'] })
    return approvals.length > 0 && approvals
  })
  if (!approval) throw new Error('nobody asks')
  const shown = await gate.approvals.get(approval.id)
  await gate.approvals.decide(approval.id, {
    by: ana,
    verdict: 'approve',
    seen: approval.digest,
    ...(edit ? { args: edit(shown?.args ?? {}) } : {}),
  })
  return shown
}

promise(['CS-SEC-8'], 'no secret that went in by any door is found in any place', async () => {
  const own = await world()
  const { store, send, as, agent } = own
  const found = sinks()
  const stream = await openEvents(own.server, as)
  const hook = await receiver()

  // In process: waiting, batch, suspended, edited, delegated, and a tool that quotes its secret.
  const gate = createGate({
    policy: policyOf(POLICY.replace('version: 1\n', '')),
    store,
    validate: jsonSchema(),
    agent: 'in-process',
    // Also what an author's words show of the arguments: by default a channel is told less.
    channels: [webhook({ ...hook, share: 'message' })],
    link: (id) => `https://sign.example/approvals/${id}`,
  })
  const got: unknown[] = []
  const vault = {
    name: 'vault',
    definition: DEFINITION,
    run: (given: Readonly<Record<string, unknown>>) => {
      got.push(given)
      throw new Error(`login with ${String(given.password)} failed; token=${canary('thrown')}`)
    },
  }
  const call = (door: string) => {
    const given = canaries(door)
    const { says: said, links } = says(door)
    const context = { says: `${said}, and the password is ${String(given.password)}`, links }
    return { tool: 'vault', args: given, context }
  }
  const first = { ...call('run'), run: 'r', key: 'k' }
  const ran = gate.run(first, vault)
  found.add('shown in process', await answer(gate))
  found.add('sentence of a tool that failed', (await ran).modelMessage)
  found.add('sentence of the same call again', (await gate.run(first, vault)).modelMessage)
  const edited = gate.run(call('edit'), vault)
  await answer(gate, (shown) => ({ ...shown, password: canary('edited') }))
  const after = await edited
  found.add('sentence about an edit', after.modelMessage, 'edited' in after ? after.edited : '')
  const batch = gate.batch([{ call: call('batch'), tool: vault }])
  await answer(gate)
  found.add(
    'sentences of a batch',
    (await batch).map(({ modelMessage: message }) => message),
  )
  const checked = await gate.check(call('check'), { definition: DEFINITION })
  found.add('sentence of a check', 'message' in checked && checked.message)
  await answer(gate)
  if (checked.status !== 'pending') throw new Error(checked.status)
  found.add('sentence of a resume', (await gate.resume(checked.approval.id, [vault])).modelMessage)
  const parent = { input: { token: canary('parent'), text: `pwd=${canary('parent-text')}` } }
  const helping = await gate.check({ kind: 'agent', tool: 'helper', args: {}, parent })
  found.add('a delegation', helping.status, await answer(gate))
  const wrong = { ...call('invalid'), args: { password: 2 ** 60, marked: Number.NaN } }
  found.add('an error of a call', (await gate.run(wrong, vault)).modelMessage)
  // The tool itself gets what it needs.
  expect(JSON.stringify(got)).toContain('CANARY')

  // Over HTTP: asking, explaining, editing, claiming, reporting.
  const asked = await send('/v1/calls', {
    as: agent,
    body: { ...call('http'), definition: DEFINITION },
  })
  found.add('answer to a call', asked.body)
  found.add('explain', (await send('/v1/policy/explain', { as, body: call('explain') })).body)
  const big = await send('/v1/calls', {
    as: agent,
    body: { tool: 'vault', args: { password: 1234567890 * 2 ** 40 } },
  })
  expect(big.status).toBe(400)
  expect(big.at('error.message')).not.toMatch(/\d{6}/)
  const at = `/v1/approvals/${asked.at('id')}`
  const card = await send(at, { as })
  found.add('card', card.body)
  const shown = JSON.parse(card.at('arguments'))
  const decided = await send(`${at}/decisions`, {
    as,
    body: {
      verdict: 'approve',
      digest: card.at('digest'),
      edit: { arguments: { ...shown, password: canary('http-edit') } },
    },
  })
  found.add('what a decision answers', decided.body)
  found.add('card after an edit', (await send(at, { as })).body)
  const claimed = await send(`${at}/claim`, { as: agent, body: { digest: asked.at('digest') } })
  found.add('what changed', claimed.at('edited.modelMessage'))
  const used = claimed.body as { readonly args: { readonly password: string } }
  const result = {
    claim: claimed.at('claim'),
    outcome: 'failed',
    result: { token: canary('result'), echo: `used ${used.args.password}` },
  }
  await send(`${at}/result`, { as: agent, body: result })
  found.add('card with a result', (await send(at, { as })).body)

  // By the client of the server.
  const remote = remoteGate({
    url: `http://${HOST}`,
    token: agent.authorization?.slice('Bearer '.length) ?? '',
    fetch: (async (input: URL, init: RequestInit) =>
      own.server.app.request(`${input.pathname}${input.search}`, {
        ...init,
        headers: { ...init.headers, host: HOST },
      })) as typeof fetch,
  })
  const running = remote.run(call('client'), vault)
  await answer(own.server.gate)
  found.add('sentence of the client', (await running).modelMessage)

  for (const path of ['/v1/approvals?status=all', '/metrics', '/status.json', '/v1/policy']) {
    found.add(path, (await send(path, { as })).body)
  }
  const { approvals } = await store.list({})
  expect(approvals.length).toBeGreaterThanOrEqual(7)
  for (const { id } of approvals) {
    found.add('every card', (await send(`/v1/approvals/${id}`, { as })).body)
    found.add('every event', (await send(`/v1/approvals/${id}/events`, { as })).body)
  }
  found.add('live events', await stream.text())
  found.add('log', own.logged.join('\n'))
  await gate[internals].idle()
  for (const kind of ['asked', 'approved', 'failed']) {
    const told = hook.received.filter(({ body }) => body.includes(`"approval.${kind}"`))
    expect(told.length, kind).toBeGreaterThan(0)
    found.add('webhook', ...told)
  }
  // The message is in there, with the secrets left out of it.
  expect(JSON.stringify(hook.received)).toContain('[secret]')
  await gate.close()
  found.add('database', databaseText(own.file))
  const cwd = files({ 'countersign.yaml': POLICY })
  const exported = await countersign(['audit', 'export', '--db', `sqlite:${own.file}`], { cwd })
  found.add('audit export', exported.stdout)
  expect(exported.code).toBe(0)
  const verified = await countersign(['audit', 'verify', '--db', `sqlite:${own.file}`], { cwd })
  expect(verified).toMatchObject({ code: 0 })
  expect(found.find()).toEqual([])
})

promise(['CS-SEC-8'], 'the command line shows none either', async () => {
  const line = JSON.stringify({ tool: 'vault', args: canaries('cli'), context: says('cli') })
  const cwd = files({ 'countersign.yaml': POLICY, 'calls.jsonl': `${line}\n` })
  const found = sinks()
  const commands = [
    ['policy', 'replay', 'countersign.yaml', '--calls', 'calls.jsonl', '--json'],
    ['policy', 'explain', 'countersign.yaml', '--call', line, '--json'],
    ['policy', 'explain', 'countersign.yaml', '--call', line],
  ]
  for (const command of commands) {
    const { stdout, stderr, code } = await countersign(command, { cwd })
    // Only the schema knows about this one, and there is none here.
    found.add(
      command.slice(0, 2).join(' '),
      `${stdout}${stderr}`.replaceAll(/CANARY\d+-cli-schema/g, ''),
    )
    expect([code, stdout.includes('[secret]')], stderr).toEqual([0, true])
  }
  expect(found.find()).toEqual([])
})

promise(
  ['CS-SEC-8'],
  'a call through the gateway leaves none outside of the call itself',
  async () => {
    const at = place(`version: 1
tools:
  pay:
    secrets: [to]
    approval: { message_template: "Pay {{tool_args.to}} by {{tool_args}}?", approvers: ["*"] }
`)
    const { client, stderr } = await connect(at)
    const found = sinks()
    const pay = () => client.callTool({ name: 'pay', arguments: { to: canary('mcp'), amount: 5 } })
    const store = await at.store()
    for (const verdict of ['approve', 'deny'] as const) {
      const paying = pay()
      const id = await answerAt(at, verdict)
      const said = textOf(await paying)
      // Who asked knows its own secret; only what Countersign says about it must not hold it.
      if (verdict === 'deny') found.add('sentence of the gateway', said)
      found.add('approval', await store.get(id))
      found.add('events', await store.events(id))
    }
    expect(at.witnessed().join()).toContain('CANARY')
    found.add('what the gateway logs', stderr())
    found.add('database', databaseText(path.join(at.cwd, '.countersign/approvals.db')))
    expect(found.find()).toEqual([])
  },
)

/** Somebody's own server at the other end of a webhook. */
async function receiver() {
  const received: { readonly headers: unknown; readonly body: string }[] = []
  const server = createServer(async (request, response) => {
    request.setEncoding('utf8')
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const secrets = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  return { received, url: `http://${host}/hook`, allowHosts: [host], secrets }
}

/** The stream as a browser reads it, up to now. */
async function openEvents(server: ReturnType<typeof running>['server'], as: Sender) {
  const response = await server.app.request('/v1/events', { headers: { host: HOST, ...as } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  void (async () => {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) return
      text += value
    }
  })()
  return { text: () => vi.waitUntil(() => text.includes('event: hint') && text) }
}
