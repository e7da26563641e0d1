import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import type { World } from './world.ts'

/** It reads types with the compiler that it brings. */
const GENERATOR = ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', '@types/node@24.19.2']

const PROGRAM = `
import assert from 'node:assert/strict'
import { createClient } from './client/client'
import {
  getApprovalsById,
  postApprovalsByIdClaim,
  postApprovalsByIdRenew,
  postApprovalsByIdResult,
  postCalls,
} from './client'

const [baseUrl = '', token = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, auth: token })

/** The body of an answer, or a test that fails. */
function given<T>({ data, error }: { data?: T; error?: unknown }): T {
  assert.ok(data, JSON.stringify(error))
  return data
}

const free = given(await postCalls({ client, body: { tool: 'read', args: { path: 'a' } } }))
assert.deepEqual(free, { status: 'allowed', args: { path: 'a' } })
const no = given(await postCalls({ client, body: { tool: 'wipe', args: {} } }))
assert.ok(no.status === 'blocked' && no.modelMessage.includes('Nothing is wiped here'))

async function settled(key: string) {
  const body = { tool: 'pay', args: { amount: 5 }, run: 'r', key }
  const asked = given(await postCalls({ client, body }))
  assert.ok(asked.status === 'pending')
  const { id, digest } = asked
  const again = given(await postCalls({ client, body }))
  assert.ok(again.status === 'pending' && again.id === id)
  for (;;) {
    const now = given(await getApprovalsById({ client, path: { id }, query: { wait: '10s' } }))
    if (now.status !== 'pending') return { id, digest, now }
  }
}

const { id, digest, now } = await settled('k1')
assert.equal(now.status, 'approved')
const claim = given(await postApprovalsByIdClaim({ client, path: { id }, body: { digest } }))
assert.deepEqual(claim.args, { amount: 5 })
assert.ok(claim.startWithin > 0)
const own = { claim: claim.claim }
const running = given(await postApprovalsByIdRenew({ client, path: { id }, body: own }))
assert.equal(running.execution, 'running')
const result = { ...own, outcome: 'succeeded' as const, result: { paid: true } }
const done = given(await postApprovalsByIdResult({ client, path: { id }, body: result }))
assert.equal(done.execution, 'succeeded')
const twice = await postApprovalsByIdClaim({ client, path: { id }, body: { digest } })
assert.equal(twice.response?.status, 409)
assert.match(JSON.stringify(twice.error), /already_claimed|already_finished/)

const denied = (await settled('k2')).now
assert.equal(denied.status, 'denied')
assert.ok('modelMessage' in denied && String(denied.modelMessage).includes('not today'))
const stranger = createClient({ baseUrl, auth: 'cs_wrong' })
const refused = await postCalls({ client: stranger, body: { tool: 'read', args: {} } })
assert.equal(refused.response?.status, 401)
assert.match(JSON.stringify(refused.error), /token_unknown/)
console.log('a TypeScript client of @hey-api/openapi-ts asked, waited, claimed, renewed and reported')
`

/** A TypeScript client of Hey API, from the description in 3.1, with all its types checked. */
export async function proveTypeScript({ folder, run, describe, story }: World): Promise<void> {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...GENERATOR])
  await describe()
  const at = (file: string) => path.join(folder, file)
  await run(process.execPath, [
    at('node_modules/@hey-api/openapi-ts/bin/run.js'),
    ...['-i', 'openapi.json', '-o', 'client', '--no-log-file'],
  ])
  writeFileSync(at('story.ts'), PROGRAM)
  const types = ['--strict', '--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler']
  const libraries = ['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--types', 'node']
  await run(process.execPath, [
    at('node_modules/typescript/bin/tsc'),
    ...types,
    ...libraries,
    'story.ts',
  ])
  const bundle = { bundle: true, format: 'esm', platform: 'node', logLevel: 'error' } as const
  await build({ entryPoints: [at('story.ts')], outfile: at('story.mjs'), ...bundle })
  await story(process.execPath, ['story.mjs'])
}
