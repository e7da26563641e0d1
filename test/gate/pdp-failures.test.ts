import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Answering, permits, startPdp } from '../support/decision-point.ts'
import { promise } from '../support/promise.ts'
import { gateWith, JSON_TYPE, READ, text, YES } from './pdp-gates.ts'

afterEach(() => vi.unstubAllEnvs())

/** Everything that is not a plain yes. */
const FAILURES: [string, Answering][] = [
  ['it never answers', () => {}],
  [
    'it stops in the middle',
    (response) => {
      response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': '17' })
      response.write('{"decision"')
      setTimeout(() => response.destroy(), 20)
    },
  ],
  ['it hangs up', (response) => void response.destroy()],
  ['500', text(JSON_TYPE, YES, 500)],
  ['503', text(JSON_TYPE, YES, 503)],
  ['401', text(JSON_TYPE, YES, 401)],
  ['403', text(JSON_TYPE, YES, 403)],
  ['404', text(JSON_TYPE, YES, 404)],
  ['201', text(JSON_TYPE, YES, 201)],
  [
    '204',
    (response) => {
      response.writeHead(204)
      response.end()
    },
  ],
  ['a page', text('text/html', YES)],
  ['no type', (response) => response.end(YES)],
  ['JSON of another kind', text('application/json-seq', YES)],
  ['no JSON', text(JSON_TYPE, 'true')],
  ['half of it', text(JSON_TYPE, '{"decision":true')],
  ['nothing', text(JSON_TYPE, '')],
  ['a list', text(JSON_TYPE, '[{"decision":true}]')],
  ['a text', text(JSON_TYPE, '{"decision":"true"}')],
  ['a number', text(JSON_TYPE, '{"decision":1}')],
  ['null', text(JSON_TYPE, '{"decision":null}')],
  ['no decision', text(JSON_TYPE, '{"allowed":true}')],
  ['a decision that every object inherits', text(JSON_TYPE, '{"__proto__":{"decision":true}}')],
  ['two decisions', text(JSON_TYPE, '{"decision":false,"decision":true}')],
  ['another case', text(JSON_TYPE, '{"Decision":true}')],
  ['bytes that are no text', text(JSON_TYPE, Buffer.from([0x7b, 0xff, 0x7d]))],
  ['more than 64 kB', text(JSON_TYPE, `{"decision":true,"context":{"x":"${'x'.repeat(70_000)}"}}`)],
  ['several decisions', text(JSON_TYPE, '{"evaluations":[{"decision":true}]}')],
]

promise.each(
  ['CS-AZ-20'],
  'what is no answer denies, or asks a person where the policy says so',
  FAILURES,
  async (_, answering) => {
    const pdp = await startPdp(answering)
    const denying = gateWith(`{ url: "${pdp.url}", timeout: 1s }`)
    const asking = gateWith(`{ url: "${pdp.url}", timeout: 1s, on_error: review }`)
    const [run, checked] = await Promise.all([
      denying.gate.run(READ, denying.tool),
      asking.gate.check(READ),
    ])
    expect(run).toMatchObject({
      status: 'blocked',
      modelMessage: expect.stringContaining('could not be asked'),
    })
    expect(checked).toMatchObject({
      status: 'pending',
      approval: { level: 'review', requirements: [{ source: 'pdp', rule: 'pdp' }] },
    })
    expect(denying.tool).not.toHaveBeenCalled()
  },
)

promise(['CS-AZ-20'], 'a redirect is not followed', async () => {
  const other = await startPdp(permits)
  const pdp = await startPdp((response) => {
    response.writeHead(307, { location: `${other.url}/access/v1/evaluation` })
    response.end()
  })
  const { gate, tool } = gateWith(pdp.url)
  expect(await gate.run(READ, tool)).toMatchObject({
    status: 'blocked',
    modelMessage: expect.stringContaining('redirects are not followed'),
  })
  expect(other.asked).toEqual([])
})

promise.each(
  ['CS-AZ-20'],
  'an address inside a network is not reached',
  [['https://10.0.0.1'], ['https://169.254.169.254'], ['https://[fd00::1]'], ['https://0.0.0.0']],
  async (url) => {
    const { gate, tool } = gateWith(url)
    const denied = await gate.run(READ, tool)
    expect(denied).toMatchObject({
      status: 'blocked',
      modelMessage: expect.stringContaining('was not allowed'),
    })
    expect(JSON.stringify(denied)).not.toContain(new URL(url).hostname)
  },
)

promise(['CS-AZ-20'], 'where nothing listens, and without its token, no call runs', async () => {
  const nowhere = gateWith('http://127.0.0.1:1')
  expect(await nowhere.gate.run(READ, nowhere.tool)).toMatchObject({ status: 'blocked' })
  const pdp = await startPdp(permits)
  for (const value of ['', 'two words', 'line\nbreak']) {
    vi.stubEnv('PDP_TOKEN', value)
    const { gate, tool } = gateWith(`{ url: "${pdp.url}", token: PDP_TOKEN }`)
    expect(await gate.run(READ, tool)).toMatchObject({ status: 'blocked' })
  }
  expect(pdp.asked).toEqual([])
})

test('a token is read from the file that a variable names', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-pdp-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, 'token'), 'from-a-file\n')
  vi.stubEnv('PDP_TOKEN_FILE', path.join(folder, 'token'))
  const pdp = await startPdp(permits)
  const { gate, tool } = gateWith(`{ url: "${pdp.url}", token: PDP_TOKEN }`)
  expect(await gate.run(READ, tool)).toMatchObject({ status: 'succeeded' })
  expect(pdp.asked[0]?.headers.authorization).toBe('Bearer from-a-file')
  vi.stubEnv('PDP_TOKEN_FILE', path.join(folder, 'gone'))
  expect(await gate.run({ ...READ, key: 'k9' }, tool)).toMatchObject({ status: 'blocked' })
})
