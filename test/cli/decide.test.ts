import { Readable } from 'node:stream'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDecide } from '../../src/cli/commands/decide.ts'
import { PLAIN } from '../../src/cli/print/colour.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { countersign } from './countersign.ts'
import { type RunningServer, runServer } from './running-server.ts'

const POLICY = `version: 1
tools: { pay: { approval: { message_template: "Pay {{tool_args.to}}?", approvers: ["*"] } } }
`

let server: RunningServer
let cwd = ''

beforeAll(async () => {
  server = await runServer(POLICY)
  cwd = server.cwd
})

afterAll(() => server?.remove())

const ask = (to: string) =>
  server.ask({ tool: 'pay', args: { to }, context: { says: `for ${to}` } })
const statusOf = ({ id }: { id: string }) => server.statusOf(id)

/** `countersign approve` with somebody at the terminal who types this. */
async function approveTyping(id: string, typed: string, isTTY = true) {
  let text = ''
  const output = {
    paint: PLAIN,
    terminal: isTTY,
    line: (line: string) => {
      text += `${line}\n`
    },
    json: () => {},
    write: (more: string) => {
      text += more
      return undefined
    },
    closed: () => false,
  }
  const stdin = Object.assign(Readable.from([`${typed}\n`]), { isTTY })
  const shell: Shell = { out: output, err: output, stdin, env: {}, cwd }
  const program = new Command().exitOverride()
  addDecide(program, async (body) => void (await body(shell)))
  const refused = await program.parseAsync(['approve', id], { from: 'user' }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { text, refused }
}

test('what waits is listed and shown, with nothing that could steer the terminal', async () => {
  const { id } = await ask('Lena\u001b[2J\u202E')
  const list = await countersign(['list'], { cwd })
  expect(list.stdout).toContain(id.slice(-8))
  expect(list.stdout).toContain('Pay «Lena‹U+001B›[2J‹U+202E›»?')
  const show = await countersign(['show', id.slice(-8)], { cwd })
  expect(show.stdout).toContain('"Lena\\u001b[2J‹U+202E›"')
  expect(show.stdout).toContain('Claimed by the agent, not checked')
  for (const char of ['\u001b', '\u202E']) {
    expect(`${list.stdout}${show.stdout}`).not.toContain(char)
  }
  const json = await countersign(['show', id, '--json'], { cwd })
  expect(JSON.parse(json.stdout)).toMatchObject({ id, status: 'pending' })
})

test('a yes needs a terminal and the end of the digest', async () => {
  const asked = await ask('Max')
  const piped = await countersign(['approve', asked.id], { cwd, stdin: asked.digest.slice(-4) })
  expect(piped.code).toBe(2)
  expect(piped.stderr).toMatch(/^usage: approving needs a terminal/)
  expect((await approveTyping(asked.id, asked.digest.slice(-4), false)).refused).toContain(
    'terminal',
  )
  expect((await approveTyping(asked.id, 'yes')).refused).toContain('not the last four')
  expect((await approveTyping(asked.id, '')).refused).toContain('not the last four')
  expect(await statusOf(asked)).toBe('pending')

  const { text, refused } = await approveTyping(asked.id, asked.digest.slice(-4))
  expect(refused).toBe(undefined)
  expect(text).toContain('Pay «Max»?')
  expect(text).toContain(asked.digest)
  expect(text).toContain('It is approved now.')
  expect(await statusOf(asked)).toBe('approved')
  expect((await approveTyping(asked.id, asked.digest.slice(-4))).refused).toContain('already')
})

test('a no is one command, and the agent reads why', async () => {
  const asked = await ask('Nina')
  const { code, stdout } = await countersign(['deny', asked.id, '--reason', 'Not now'], { cwd })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'It is denied now.\n' })
  expect(await statusOf(asked)).toBe('denied')
})

test('deciding never uses the token of an agent', async () => {
  const asked = await ask('Olga')
  const env = { COUNTERSIGN_TOKEN: server.token }
  const { stdout } = await countersign(['deny', asked.id, '--json'], { cwd, env })
  expect(JSON.parse(stdout)).toMatchObject({ status: 'denied', by: ['root'] })
  const shown = await countersign(['show', asked.id, '--json'], { cwd })
  expect(JSON.parse(shown.stdout)).toMatchObject({ decisions: [{ by: { issuer: 'local' } }] })
})

test.each([
  ['nothing', 'zzzzzzzz', /^usage: no pending approval ends with zzzzzzzz/, 2],
  ['too little', 'a', /^usage: no pending approval ends with a/, 2],
  ['an id of nobody', 'x'.repeat(35), /^approval_not_found: /, 4],
])('an id that names %s is said', async (_, id, message, code) => {
  const ran = await countersign(['show', id], { cwd })
  expect(ran.code).toBe(code)
  expect(ran.stderr).toMatch(message)
})

test('locks from a terminal: set, shown, lifted', async () => {
  const run = (...args: string[]) => countersign(['lock', ...args], { cwd })
  expect((await run('--list')).stdout).toBe('Nothing is locked.\n')
  const set = await run('--agent', 'bot', '--reason', 'we are looking', '--for', '2h', '--json')
  const { id, until, at } = JSON.parse(set.stdout) as { id: string; until: number; at: number }
  expect(until - at).toBeGreaterThan(7_100_000)
  expect((await run('--list')).stdout).toMatch(/ {2}agent bot: we are looking {2}\(.+, until 20/)
  expect(await ask('Lena')).toMatchObject({ status: 'blocked', code: 'locked' })
  expect(await run('--lift', id.slice(-8))).toMatchObject({ code: 0 })
  expect(await ask('Lena')).toMatchObject({ status: 'pending' })
  expect(await run('--lift', id.slice(-8))).toMatchObject({ code: 2 })
  for (const wrong of [
    [],
    ['--all'],
    ['--agent', 'bot', '--tool', 'pay', '--reason', 'x'],
    ['--list', '--lift', id],
    ['--all', '--reason', 'x', '--for', 'soon'],
    ['--person', 'ghost@example.com', '--reason', 'x'],
  ]) {
    const { code, stderr } = await run(...wrong)
    expect([wrong, code, stderr]).toEqual([wrong, 2, expect.stringMatching(/^usage: /)])
  }
})

test('people from a terminal: added, changed, listed, removed', async () => {
  const run = (...args: string[]) => countersign(['people', ...args], { cwd })
  const added = await run('add', 'Ana@example.com', '--role', 'approver', '--name', 'Ana')
  expect(added.stdout).toBe('ana@example.com  Ana  approver\n')
  expect((await run('role', 'ana@example.com', 'viewer', 'admin')).stdout).toContain(
    'viewer, admin',
  )
  expect((await run()).stdout).toContain('ana@example.com  Ana  viewer, admin\n')
  const removed = await run('remove', 'ana@example.com', '--json')
  expect(JSON.parse(removed.stdout)).toMatchObject({
    person: { email: 'ana@example.com' },
    unreachable: [],
  })
  const { people, removed: gone } = JSON.parse((await run('list', '--json')).stdout)
  expect(JSON.stringify(people)).not.toContain('ana@')
  expect(JSON.stringify(gone)).toContain('ana@example.com')
  expect((await run()).stdout).not.toContain('ana@')
  for (const [wrong, code] of [
    [['remove', 'ana@example.com'], 2],
    [['add', 'bo@example.com', '--role', 'king'], 2],
    [['add', 'nobody'], 2],
  ] as const) {
    const ran = await run(...wrong)
    expect([wrong, ran.code, ran.stdout]).toEqual([wrong, code, ''])
  }
})
