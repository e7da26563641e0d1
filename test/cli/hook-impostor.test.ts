import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { proofOf } from '../../src/app/hook/proof.ts'
import { packageVersion } from '../../src/app/version.ts'
import { databasePlace } from '../../src/cli/state/database.ts'
import type { ServerFile } from '../../src/cli/state/server-file.ts'
import { servedName } from '../../src/store/served-name.ts'
import { promise } from '../support/promise.ts'
import { folder } from './countersign.ts'
import { ASKS, answered, hello, hook, KEY, nonceOf } from './hook-project.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Another program where server.json says that ours is. */
async function impostor(answer: Answer, file: Partial<ServerFile> = {}) {
  const project = folder({ 'countersign.yaml': ASKS })
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push(`${request.method} ${request.url}${body}`)
    answer(request, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  mkdirSync(path.join(project, '.countersign'))
  const about = {
    url,
    pid: process.pid,
    version: packageVersion(),
    serves: servedName(databasePlace(undefined, { cwd: project, env: {} })),
    hook: { url, key: KEY, files: [] },
    ...file,
  }
  writeFileSync(path.join(project, '.countersign/server.json'), JSON.stringify(about))
  return { project, asked }
}

/** Proves who it is, and answers a question with this. */
function replies(reply: string, key = KEY): Answer {
  return (request, response) => {
    if (request.method === 'GET') return hello(request, response)
    response.setHeader('x-countersign-proof', proofOf(key, 'answer', nonceOf(request), reply))
    response.end(reply)
  }
}

promise(['CS-HOOK-6'], 'the server that proves itself is the one that answers', async () => {
  const said = { permissionDecision: 'deny', permissionDecisionReason: 'By the server.' }
  const { project } = await impostor(replies(answered(said)))
  expect((await hook(project)).reason).toBe('By the server.')
})

const ALLOWS = '{"status":"answer"}'

promise.each(
  ['CS-HOOK-6'],
  'a program that proves nothing learns nothing, and the hook decides by itself',
  [
    [
      'one that allows everything',
      (_: unknown, response: ServerResponse) => void response.end(ALLOWS),
    ],
    [
      'one that refuses',
      (_: unknown, response: ServerResponse) => void response.writeHead(404).end(),
    ],
    ['one that hangs', () => {}],
    ['one that hangs up', (request: IncomingMessage) => void request.socket.destroy()],
    [
      'one that knows another key',
      (request: IncomingMessage, response: ServerResponse) => {
        const proof = proofOf('0'.repeat(64), 'hello', nonceOf(request), packageVersion())
        response.end(JSON.stringify({ version: packageVersion(), proof }))
      },
    ],
    [
      'one that repeats an older proof',
      (_: unknown, response: ServerResponse) => {
        const proof = proofOf(KEY, 'hello', 'ab'.repeat(16), packageVersion())
        response.end(JSON.stringify({ version: packageVersion(), proof }))
      },
    ],
    [
      'one of another version',
      (request: IncomingMessage, response: ServerResponse) => hello(request, response, '99.0.0'),
    ],
  ] as const,
  async (_, answer) => {
    const { project, asked } = await impostor(answer as Answer)
    expect((await hook(project, {}, ['--wait', '1s'])).reason).toMatch(/still waits/)
    expect(asked).toContain('GET /v1/hook')
    expect(asked.filter((one) => one.startsWith('POST'))).toEqual([])
  },
)

promise.each(
  ['CS-HOOK-6'],
  'a server.json that cannot be right is not followed',
  [
    ['another version', { version: '99.0.0' }],
    ['another machine', { hook: { url: 'http://192.0.2.1/', key: KEY, files: [] } }],
    ['another protocol', { hook: { url: 'file:///etc/passwd', key: KEY, files: [] } }],
    ['a short key', { hook: { url: 'http://127.0.0.1:9/', key: 'c0', files: [] } }],
    ['nobody there', { hook: { url: 'http://127.0.0.1:9/', key: KEY, files: [] } }],
  ] as const,
  async (_, file) => {
    const { project, asked } = await impostor(replies(ALLOWS), file)
    expect((await hook(project, {}, ['--wait', '1s'])).reason).toMatch(/still waits/)
    expect(asked.filter((one) => one.startsWith('POST'))).toEqual([])
  },
)

promise.each(
  ['CS-HOOK-6', 'CS-HOOK-1'],
  'a server that proves itself and then answers nonsense blocks',
  [
    ['no JSON', replies('ok')],
    ['nothing', replies('')],
    ['an unknown status', replies('{"status":"fine"}')],
    ['a decision that is unknown', replies(answered({ permissionDecision: 'ask' }))],
    ['a yes without arguments', replies(answered({ permissionDecision: 'allow' }))],
    ['no decision', replies(answered({}))],
    ['output that is text', replies('{"status":"answer","output":"allow"}')],
    ['a yes with the proof of another', replies(ALLOWS, '0'.repeat(64))],
    [
      'a yes without a proof',
      (request: IncomingMessage, response: ServerResponse) =>
        request.method === 'GET' ? hello(request, response) : void response.end(ALLOWS),
    ],
    ['an error', replies('{"status":"error","code":"store_busy","message":"it is busy"}')],
  ] as const,
  async (_, answer) => {
    const { project } = await impostor(answer as Answer)
    const ran = await hook(project)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^\w+: .+\n.+/)
  },
)
