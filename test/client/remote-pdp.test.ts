import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rulesText } from '../../src/policy/tooling/rules-text.ts'
import { evaluation } from '../server/authzen-client.ts'
import { HOST, POLICY, type Running, running } from '../server/harness.ts'
import { denies, permits, startPdp } from '../support/decision-point.ts'
import { promise } from '../support/promise.ts'
import { remote } from './remote.ts'

const SMALL = { tool: 'pay', args: { amount: 5, to: 'Lena' } }

promise(['CS-AZ-18'], 'over HTTP the server asks, and no client decides by itself', async () => {
  const pdp = await startPdp(denies)
  const { gate, sent } = await remote({ policy: `${POLICY}pdp: ${pdp.url}\n` })
  const tool = vi.fn(() => 'paid')
  expect(await gate.run(SMALL, tool)).toMatchObject({ status: 'blocked', code: 'denied_by_policy' })
  expect(sent).toContain('POST /v1/calls')
  expect(pdp.asked).toHaveLength(1)
  pdp.answer(permits)
  expect(await gate.run(SMALL, tool)).toMatchObject({ status: 'succeeded', result: 'paid' })
  expect(pdp.asked).toHaveLength(2)
  expect(tool).toHaveBeenCalledTimes(1)
})

test('agents that read the policy learn that there is a decision point, and not where', async () => {
  const pdp = await startPdp()
  const policy = `${POLICY}pdp: { url: "${pdp.url}", token: PDP_TOKEN }\n`
  expect(rulesText({ file: 'countersign.yaml', text: policy })).toContain('https://pdp.invalid')
  const own = running({ policy })
  const { body } = await own.send('/v1/policy', { as: await own.agent('bot') })
  expect(JSON.stringify(body)).toContain('pdp.invalid')
  expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|PDP_TOKEN/)
})

const HIDDEN = 'blue-heron-17'
const MEMO = { tool: 'note', args: { text: 'hi', memo: HIDDEN }, run: 'r1', key: 'k1' }

async function approved({ send, person }: Running, id: string): Promise<void> {
  const as = await person('ana@example.com')
  const at = `/v1/approvals/${id}`
  const { digest } = (await send(at, { as })).body as { digest: string }
  await send(`${at}/decisions`, { as, body: { verdict: 'approve', digest } })
}

promise.each(
  ['CS-AZ-19'],
  'what an agent declares secret is hidden from it when the approval is claimed',
  [
    ['declared again', { declared: { secrets: ['memo'] } }],
    ['not declared again', {}],
  ],
  async (_, again) => {
    const pdp = await startPdp()
    const own = running({ policy: `${POLICY}pdp: ${pdp.url}\n` })
    const as = await own.agent('bot')
    const body = { ...MEMO, declared: { secrets: ['memo'] } }
    const asked = await own.send('/v1/calls', { as, body })
    await approved(own, asked.at('id'))
    const claim = { digest: asked.at('digest'), ...again }
    const claimed = await own.send(`/v1/approvals/${asked.at('id')}/claim`, { as, body: claim })
    expect(claimed.body).toMatchObject({ args: MEMO.args })
    expect(pdp.asked).toHaveLength(2)
    expect(JSON.stringify(pdp.asked)).not.toContain(HIDDEN)
  },
)

promise(['CS-AZ-19'], 'a token that is revoked while it is asked claims nothing', async () => {
  const pdp = await startPdp()
  const own = running({ policy: `${POLICY}pdp: ${pdp.url}\n` })
  const { tokens } = own.server.credentials
  const { token, made } = await tokens.create({ agent: 'bot' })
  const as = { authorization: `Bearer ${token}` }
  const asked = await own.send('/v1/calls', { as, body: MEMO })
  await approved(own, asked.at('id'))
  pdp.answer((response, one) => void tokens.revoke(made.prefix).then(() => permits(response, one)))
  const body = { digest: asked.at('digest') }
  const claimed = await own.send(`/v1/approvals/${asked.at('id')}/claim`, { as, body })
  expect([claimed.status, claimed.at('error.code')]).toEqual([423, 'locked'])
  expect((await own.store.get(asked.at('id')))?.execution).toBeUndefined()
})

/** The server without its socket, behind one. */
async function listening({ server }: Running): Promise<string> {
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = { ...(request.headers as Record<string, string>), host: HOST }
      const init = { method: 'POST', headers, body: Buffer.concat(chunks).toString() }
      void Promise.resolve(server.app.request(request.url ?? '/', init)).then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.end(await answer.text())
      })
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

promise(['CS-AZ-18', 'CS-AZ-1'], 'one server is the decision point of another', async () => {
  const company = running()
  const { authorization = '' } = await company.agent('bot')
  vi.stubEnv('PDP_TOKEN', authorization.replace('Bearer ', ''))
  onTestFinished(() => void vi.unstubAllEnvs())
  const url = await listening(company)
  const team = running({ policy: `version: 1\npdp: { url: "${url}", token: PDP_TOKEN }\n` })
  const bot = await team.agent('bot')
  const call = async (amount: number) =>
    (await team.send('/v1/calls', { as: bot, body: { tool: 'pay', args: { amount, to: 'Lena' } } }))
      .body
  expect(await call(5)).toMatchObject({ status: 'allowed' })
  expect(await call(500)).toMatchObject({ status: 'blocked', code: 'denied_by_policy' })
  const asked = await team.send('/access/v1/evaluation', {
    as: bot,
    body: evaluation('pay', { amount: 500, to: 'Lena' }),
  })
  expect(asked.body).toMatchObject({ decision: false, context: { reason: 'denied_by_policy' } })
})

promise(['CS-AZ-20'], 'a card says that people are asked because it could not be', async () => {
  const pdp = await startPdp((response) => void response.writeHead(500).end())
  const policy = `${POLICY}pdp: { url: "${pdp.url}", on_error: review }\n`
  const own = running({ policy })
  const asked = await own.send('/v1/calls', { as: await own.agent('bot'), body: SMALL })
  expect(asked.body).toMatchObject({ status: 'pending' })
  const as = await own.person('ana@example.com')
  const card = await own.send(`/v1/approvals/${asked.at('id')}`, { as })
  const line = policy.split('\n').findIndex((one) => one.startsWith('pdp:')) + 1
  expect((card.body as { why: unknown }).why).toEqual([
    {
      source: 'pdp',
      rule: 'pdp',
      words: 'asks because this decision point could not be asked',
      place: `countersign.yaml:${line}:1`,
      asks: 'review',
      answer: 'unknown',
      values: [],
    },
  ])
})

promise(['CS-AZ-20'], 'where a person is asked in its place, a grant is no answer', async () => {
  const pdp = await startPdp()
  const own = running({ policy: `${POLICY}pdp: { url: "${pdp.url}", on_error: review }\n` })
  const [as, bot] = [await own.person('ana@example.com'), await own.agent('bot')]
  const condition = { args_match: { amount: { lte: 600 } } }
  const grant = { tool: 'pay', agent: 'bot', condition }
  expect((await own.send('/v1/grants', { as, body: grant })).status).toBeLessThan(300)
  const call = (key: string) => ({ tool: 'pay', args: { amount: 500, to: 'Lena' }, run: 'r', key })
  const through = await own.send('/v1/calls', { as: bot, body: call('k1') })
  expect(through.body).toMatchObject({ status: 'approved' })
  pdp.answer((response) => void response.writeHead(413).end())
  const asked = await own.send('/v1/calls', { as: bot, body: call('k2') })
  expect(asked.body).toMatchObject({ status: 'pending' })
})

test('the page of the policy lists it with the rules that only tighten', async () => {
  const pdp = await startPdp()
  const own = running({ policy: `${POLICY}pdp: ${pdp.url}\n` })
  const as = await own.person('ana@example.com')
  const { rules } = (await own.send('/status.json', { as })).body as { rules: { name: string }[] }
  expect(rules.find(({ name }) => name === 'pdp')).toMatchObject({
    source: 'governance',
    words: `every call, when ${new URL(pdp.url).host} denies it`,
    details: [
      `Asked at ${pdp.url} about every call, for at most 2 s.`,
      'While it cannot be asked, calls are denied.',
    ],
    asks: 'deny',
  })
})
