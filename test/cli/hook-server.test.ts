import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { proofOf } from '../../src/app/hook/proof.ts'
import type { ServerFile } from '../../src/cli/state/server-file.ts'
import { promise } from '../support/promise.ts'
import { cleanEnv, countersign, folder, SOURCE_BIN } from './countersign.ts'
import { ASKS, hook, inputOf } from './hook-project.ts'
import { signIn, start } from './started.ts'

const FREE = 'version: 1\ntools: { Bash: { approval: false }, WebFetch: { approval: false } }\n'

const DENIES = `version: 1
governance:
  - { id: no-shell, match: { tool: Bash }, deny: No shell in here. }
`

function serverFile(project: string): ServerFile {
  return JSON.parse(readFileSync(path.join(project, '.countersign/server.json'), 'utf8'))
}

interface Waiting {
  readonly id: string
  readonly digest: string
}

/** The person at the inbox of a running server. */
async function inboxOf(link: string) {
  const headers = { ...(await signIn(link)), 'content-type': 'application/json' }
  const call = async (method: string, to: string, body?: object) => {
    const sent = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const response = await fetch(new URL(to, link), sent)
    expect(response.ok).toBe(true)
    return response.json()
  }
  const pending = async (): Promise<readonly Waiting[]> => {
    const page = await call('GET', '/v1/approvals?status=pending')
    return (page as { approvals: Waiting[] }).approvals
  }
  return {
    pending,
    async waiting(): Promise<Waiting> {
      for (;;) {
        const [first] = await pending()
        if (first) return first
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    decide: ({ id, digest }: Waiting, answer: object) =>
      call('POST', `/v1/approvals/${id}/decisions`, { digest, ...answer }),
    read: (id: string) => call('GET', `/v1/approvals/${id}`),
  }
}

promise(
  ['CS-HOOK-6', 'CS-HOOK-2'],
  'with a running server: asked, approved with a change, run once, on record',
  async () => {
    const project = folder({ 'countersign.yaml': ASKS })
    const { url } = await start(project)
    const inbox = await inboxOf(url)
    expect(await hook(project, { tool_name: 'Read' })).toMatchObject({ code: 0, stdout: '' })
    expect((await hook(project, { tool_name: 'Danger' })).reason).toMatch(/Never\./)
    const asking = hook(project)
    const asked = await inbox.waiting()
    await inbox.decide(asked, {
      verdict: 'approve',
      edit: { arguments: { command: 'git push -n' } },
    })
    const answered = await asking
    expect(answered.output).toMatchObject({
      permissionDecision: 'allow',
      updatedInput: { command: 'git push -n' },
    })
    expect(answered.stderr).toContain(`approvals/${asked.id}`)
    const twice = await hook(project, { tool_use_id: 'toolu_2' }, ['--wait', '1s'])
    expect(twice.output?.permissionDecision).toBe('deny')
    const after = {
      hook_event_name: 'PostToolUse',
      tool_response: { stdout: 'x'.repeat(2_000_000) },
    }
    expect(await hook(project, after)).toMatchObject({ code: 0, stdout: '' })
    expect(await inbox.read(asked.id)).toMatchObject({ execution: 'succeeded' })
  },
)

promise(
  ['CS-HOOK-6', 'CS-HOOK-5'],
  'B5-24: what is on disk loosens nothing until it is applied, and is stricter at once',
  async () => {
    const project = folder({ 'countersign.yaml': ASKS, 'sub/countersign.yaml': FREE })
    await start(project)
    const wait = ['--wait', '1s']
    writeFileSync(path.join(project, 'countersign.yaml'), FREE)
    expect((await hook(project, {}, wait)).reason).toMatch(/still waits/)
    expect((await hook(project, { cwd: path.join(project, 'sub') }, wait)).reason).toMatch(
      /still waits/,
    )
    writeFileSync(path.join(project, 'countersign.yaml'), DENIES)
    expect((await hook(project, {}, wait)).reason).toMatch(/No shell in here/)
    writeFileSync(path.join(project, 'countersign.yaml'), 'version: 7\n')
    expect(await hook(project, {}, wait)).toMatchObject({ code: 2, stdout: '' })
  },
)

promise(
  ['CS-HOOK-6', 'CS-HOOK-5'],
  'B5-24: a looser file is not in force for a call too large for the server, nor once it has stopped',
  async () => {
    const asks = ASKS.replace('tools:\n', 'tools:\n  WebFetch: { approval: true }\n')
    const project = folder({ 'countersign.yaml': asks })
    const { child, ended } = await start(project)
    writeFileSync(path.join(project, 'countersign.yaml'), FREE)
    const wait = ['--wait', '1s']
    // Not a shell line: one of this length is denied, because it takes too long to read.
    const input = { url: 'https://example.com/', prompt: 'xxx '.repeat(250_000) }
    const padded = { tool_name: 'WebFetch', tool_input: input }
    expect((await hook(project, padded, wait)).reason).toMatch(/still waits/)
    child.kill('SIGTERM')
    await ended
    expect((await hook(project, {}, wait)).reason).toMatch(/still waits/)
    writeFileSync(path.join(project, 'countersign.yaml'), DENIES)
    expect((await hook(project, {}, wait)).reason).toMatch(/No shell in here/)
  },
)

const ELSEWHERE: readonly [string, string[], string[]][] = [
  ['another tenant', ['--tenant', 'other'], []],
  ['another tenant, the hook of a third', ['--tenant', 'other'], ['--tenant', 'third']],
  ['another database', ['--db', 'sqlite:.countersign/other.db'], []],
]

promise.each(
  ['CS-HOOK-7'],
  'a server of other approvals in the same folder is not asked',
  ELSEWHERE,
  async (_, served, asked) => {
    const project = folder({ 'countersign.yaml': ASKS })
    const { url } = await start(project, served)
    const inbox = await inboxOf(url)
    const said = await hook(project, {}, ['--wait', '1s', ...asked])
    expect(said.reason).toMatch(/still waits/)
    expect(await inbox.pending()).toEqual([])
    const own = await countersign(['list', ...asked], { cwd: project, env: { HOME: project } })
    expect(own).toMatchObject({ code: 7, stderr: expect.stringContaining('no Countersign runs') })
  },
)

promise(['CS-HOOK-7'], 'a server of the tenant that the hook names is asked', async () => {
  const project = folder({ 'countersign.yaml': ASKS })
  const { url } = await start(project, ['--tenant', 'other'])
  const inbox = await inboxOf(url)
  await hook(project, {}, ['--wait', '1s', '--tenant', 'other'])
  expect(await inbox.pending()).toHaveLength(1)
})

promise(['CS-HOOK-6'], 'a call that waits outlives its server', async () => {
  const project = folder({ 'countersign.yaml': ASKS })
  const first = await start(project)
  const asking = hook(project)
  const asked = await (await inboxOf(first.url)).waiting()
  first.child.kill('SIGTERM')
  await first.ended
  // The hook may serve the inbox itself by now; both are on one database.
  const second = await start(project)
  await (await inboxOf(second.url)).decide(asked, { verdict: 'deny', reason: 'Not now' })
  expect((await asking).reason).toMatch(/denied by a person .* Reason: Not now/)
})

promise(['CS-HOOK-6'], 'only whoever can read server.json is answered', async () => {
  const project = folder({ 'countersign.yaml': ASKS })
  await start(project)
  const { hook: at } = serverFile(project)
  const url = new URL('/v1/hook/ask', at?.url)
  const body = JSON.stringify({ input: inputOf(project), policies: [{ governance: [] }], wait: 0 })
  const nonce = 'ab'.repeat(16)
  const sent = async (proof: string) =>
    (
      await fetch(url, {
        method: 'POST',
        body,
        headers: { 'x-countersign-nonce': nonce, 'x-countersign-proof': proof },
      })
    ).status
  expect(await sent('')).toBe(403)
  expect(await sent('0'.repeat(64))).toBe(403)
  expect(await sent(proofOf('0'.repeat(64), 'ask', nonce, body))).toBe(403)
  expect(await sent(proofOf(at?.key ?? '', 'hello', nonce, body))).toBe(403)
  expect(await sent(proofOf(at?.key ?? '', 'ask', nonce, `${body} `))).toBe(403)
  expect(await sent(proofOf(at?.key ?? '', 'ask', nonce, body))).toBe(200)
})

promise(['CS-HOOK-6'], 'a server that only observes leaves the hook to ask', async () => {
  const project = folder({ 'countersign.yaml': ASKS })
  await start(project, ['--observe'])
  expect(serverFile(project).hook).toBeUndefined()
  expect((await hook(project, {}, ['--wait', '1s'])).reason).toMatch(/still waits/)
})

/** What a hook has loaded by the time it has its answer. */
async function loadedBy(project: string): Promise<string[]> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      path.resolve(import.meta.dirname, '../support/list-modules.mjs'),
      SOURCE_BIN,
      'hook',
      'claude-code',
    ],
    { env: { ...cleanEnv(), CLAUDE_PROJECT_DIR: project } },
  )
  child.stdin.end(inputOf(project, { tool_name: 'Read' }))
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return JSON.parse(said)
}

promise(['CS-HOOK-6'], 'with a server the hook loads no package and no database', async () => {
  const project = folder({ 'countersign.yaml': ASKS })
  // served-name.ts names a database and opens none.
  const isHeavy = (url: string) =>
    /node_modules|node:sqlite|src\/(?:server|gateway|store)\/(?!served-name\.ts)/.test(url)
  // Without one it does, so the list is one that shows it.
  expect((await loadedBy(project)).filter(isHeavy).length).toBeGreaterThan(10)
  await start(project)
  expect((await loadedBy(project)).filter(isHeavy)).toEqual([])
})
