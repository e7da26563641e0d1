/** A Python client that OpenAPI Generator makes from `/openapi.json`, calling a real server. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { createClient } from '../../src/api/client.ts'
import { createCountersign } from '../../src/app/create-countersign.ts'
import { cookieOf } from '../../src/cli/session.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'

/** The last one that npm has with its program inside. It knows OpenAPI 3.0. */
const GENERATOR = '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-openapi-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, [...args], { cwd: folder, encoding: 'utf8' })
  const said = `${done.stdout}\n${done.stderr}`.slice(-4_000)
  assert.equal(done.status, 0, `${command} ${args.join(' ')}\n${said}\n${done.error ?? ''}`)
}

run('java', ['-version'])
// What every client of this generator needs.
run('python3', ['-c', 'import urllib3, six, dateutil, certifi'])

const countersign = createCountersign({
  policy: definePolicy({
    tools: { pay: { approval: true }, read: { approval: false } },
    governance: [{ id: 'no-wipes', match: { tool: 'wipe' }, deny: 'Nothing is wiped here.' }],
  }),
  store: memoryStore(),
  publicUrl: 'http://127.0.0.1:4799',
})
const server = serve({ fetch: countersign.fetch, hostname: '127.0.0.1', port: 4799 })
const url = 'http://127.0.0.1:4799'

async function signIn() {
  const link = await countersign.signInLink({
    email: 'ana@example.com',
    roles: ['viewer', 'approver', 'admin'],
  })
  const token = new URL(link).hash.replace('#signin=', '')
  const anyone = createClient({ url, headers: () => ({}) })
  const { body, headers } = await anyone.send('POST /v1/session', { body: { token } })
  const own = { cookie: cookieOf(headers), 'x-countersign-csrf': body.csrf }
  return createClient({ url, headers: () => own })
}

/** Decides the next call that waits. */
async function decideNext(ana: Awaited<ReturnType<typeof signIn>>, verdict: 'approve' | 'deny') {
  for (let tries = 0; tries < 300; tries++) {
    const { approvals } = await ana.call('GET /v1/approvals', { query: { status: ['pending'] } })
    const [one] = approvals
    if (one) {
      const { id, digest } = one
      const body = { verdict, digest, ...(verdict === 'deny' ? { reason: 'not today' } : {}) }
      await ana.call('POST /v1/approvals/:id/decisions', { params: { id }, body })
      return
    }
    await sleep(100)
  }
  throw new Error('nothing was asked')
}

const PROGRAM = `
import sys
from countersign_client import ApiClient, ApiException, Configuration, CallsApi, ApprovalsApi
from countersign_client import AskBody, ClaimBody, ResultBody

url, token = sys.argv[1:3]

def client(secret):
    own = Configuration(host=url)
    own.access_token = secret
    return ApiClient(own)

api = client(token)
calls, approvals = CallsApi(api), ApprovalsApi(api)

free = calls.post_calls(AskBody(tool='read', args={'path': 'a'}))
assert free.status == 'allowed' and free.args == {'path': 'a'}, free
no = calls.post_calls(AskBody(tool='wipe', args={}))
assert no.status == 'blocked' and 'Nothing is wiped here' in no.model_message, no

def settled(key):
    asked = calls.post_calls(AskBody(tool='pay', args={'amount': 5}, run='r', key=key))
    assert asked.status == 'pending', asked
    again = calls.post_calls(AskBody(tool='pay', args={'amount': 5}, run='r', key=key))
    assert again.id == asked.id, again
    now = asked
    while now.status == 'pending':
        now = approvals.get_approvals_by_id(asked.id, wait='10s')
    return asked, now

asked, now = settled('k1')
assert now.status == 'approved', now
claim = calls.post_approvals_by_id_claim(asked.id, ClaimBody(digest=asked.digest))
assert claim.args == {'amount': 5} and claim.start_within > 0, claim
done = ResultBody(claim=claim.claim, outcome='succeeded', result={'paid': True})
assert calls.post_approvals_by_id_result(asked.id, done).execution == 'succeeded'
assert approvals.get_approvals_by_id(asked.id).result == {'paid': True}
try:
    calls.post_approvals_by_id_claim(asked.id, ClaimBody(digest=asked.digest))
    raise AssertionError('claimed twice')
except ApiException as error:
    assert error.status == 409 and 'already_claimed' in error.body, error

asked, now = settled('k2')
assert now.status == 'denied' and 'not today' in now.model_message, now
try:
    CallsApi(client('cs_wrong')).post_calls(AskBody(tool='read', args={}))
    raise AssertionError('a wrong token was taken')
except ApiException as error:
    assert error.status == 401 and 'token_unknown' in error.body, error
print('a generated client asked, waited, claimed and reported')
`

try {
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', GENERATOR])
  const jar = 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar'
  const document = await (await fetch(`${url}/openapi.json?version=3.0`)).text()
  writeFileSync(path.join(folder, 'openapi.json'), document)
  const wanted = ['-g', 'python', '--package-name', 'countersign_client']
  run('java', ['-jar', jar, 'generate', '-i', 'openapi.json', '-o', 'client', ...wanted])
  writeFileSync(path.join(folder, 'client/story.py'), PROGRAM)

  const ana = await signIn()
  const { token } = await ana.call('POST /v1/tokens', { body: { agent: 'bot' } })
  const story = spawn('python3', ['story.py', url, token], {
    cwd: path.join(folder, 'client'),
    stdio: 'inherit',
  })
  const ended = new Promise<number | null>((resolve) => story.once('exit', resolve))
  await Promise.race([ended, decideNext(ana, 'approve').then(() => decideNext(ana, 'deny'))])
  assert.equal(await ended, 0)
} finally {
  server.close()
  await countersign.close()
}
