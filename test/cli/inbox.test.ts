import { Command } from 'commander'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { addInbox } from '../../src/cli/commands/inbox.ts'
import { PLAIN } from '../../src/cli/print/colour.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { promise } from '../support/promise.ts'
import { terminalScreen } from '../support/terminal-screen.ts'
import { countersign } from './countersign.ts'
import { type RunningServer, runServer } from './running-server.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

const POLICY = `version: 1
tools:
  pay:
    risk: L4
    approval: { message_template: "Pay {{tool_args.to}}?", approvers: ["*"], edit: true }
  wipe: { approval: { approvers: ["*"], reason: required } }
`

let server: RunningServer

beforeAll(async () => {
  server = await runServer(POLICY)
})

afterAll(() => server?.remove())

const WAIT = { timeout: 10_000, interval: 30 }

/** `countersign inbox`, with somebody at the terminal. Left after the test. */
function openInbox(columns = 110, rows = 30) {
  const screen = terminalScreen(columns, rows)
  const output = {
    paint: PLAIN,
    terminal: true,
    line: () => {},
    json: () => {},
    write: () => undefined,
    closed: () => false,
  }
  const shell: Shell = {
    out: output,
    err: output,
    stdin: screen.stdin,
    screen: screen.stdout,
    // A token of an agent must play no part.
    env: { COUNTERSIGN_TOKEN: server.token },
    cwd: server.cwd,
  }
  const program = new Command().exitOverride()
  addInbox(program, async (body) => void (await body(shell)))
  const left = program.parseAsync(['inbox'], { from: 'user' })
  const shows = (text: string | RegExp) =>
    vi.waitFor(() => expect(screen.text()).toMatch(text), WAIT)
  let leaving: Promise<unknown> | undefined
  const leave = async () => {
    // Ctrl-C, once: afterwards nobody reads.
    leaving ??= screen.type('\u0003').then(() => left)
    await leaving
  }
  onTestFinished(leave)
  return { ...screen, shows, leave }
}

/** Moves until this call is the one on the screen. */
async function choose(inbox: ReturnType<typeof openInbox>, text: string): Promise<void> {
  await inbox.shows(/[1-9] needs? you/)
  // The list beside the card names all of them; what counts is the card.
  const card = () =>
    inbox
      .lines()
      .map((line) => line.split(' │ ').at(-1) ?? '')
      .join('\n')
  await vi.waitFor(
    async () => {
      const isShown = () => /Computed by/.test(card()) && card().includes(text)
      if (!isShown()) await inbox.type('j')
      expect(isShown()).toBe(true)
    },
    { timeout: 10_000, interval: 300 },
  )
}

promise(
  ['CS-INBOX-1'],
  'a yes needs every line on the screen and the end of the digest',
  async () => {
    const { id, digest } = await server.ask({
      tool: 'pay',
      args: { to: 'Lena', memo: 'long '.repeat(900), zz_last: 'decisive' },
    })
    const inbox = openInbox()
    await choose(inbox, 'Pay «Lena»?')
    expect(inbox.text()).not.toContain('decisive')
    await inbox.type('a')
    await inbox.shows('There is more below')
    for (let page = 0; page < 4; page += 1) await inbox.type(' ')
    await inbox.shows(/all \d+ lines seen/)
    expect(inbox.text()).toContain('zz_last: "decisive"')
    await inbox.type('a')
    await inbox.shows('Type the last four characters')
    await inbox.type('no')
    await inbox.type('\r')
    await inbox.shows('These are not the last four characters')
    // Pasted at once, the same keys decide nothing.
    await inbox.type(`a${digest.slice(-4)}\r`)
    await inbox.type('a')
    await inbox.shows('Type the last four characters')
    expect(await server.statusOf(id)).toBe('pending')
    await inbox.type(digest.slice(-4))
    await inbox.type('\r')
    await inbox.shows('Approved')
    expect(await server.statusOf(id)).toBe('approved')
  },
)

promise(['CS-INBOX-4'], 'a no takes a reason, and leaving restores the terminal', async () => {
  const { id } = await server.ask({ tool: 'wipe', args: { disk: 'Nina\u001b[2J\u202E' } })
  const inbox = openInbox(70, 24)
  await inbox.shows(/[1-9] needs? you/)
  await inbox.type('\r')
  await choose(inbox, 'Nina')
  expect(inbox.text()).toContain('Nina\\u001b[2J‹U+202E›')
  expect(inbox.raw()).not.toContain('\u202E')
  await inbox.type('d')
  await inbox.shows('Reason; the agent reads it')
  await inbox.type('\r')
  await inbox.shows('A reason is required')
  expect(await server.statusOf(id)).toBe('pending')
  await inbox.type('d')
  await inbox.shows('Reason; the agent reads it')
  await inbox.type('Not today')
  await inbox.type('\r')
  await inbox.shows('Denied. It did not run.')
  expect(await server.statusOf(id)).toBe('denied')
  await inbox.leave()
  expect(inbox.restored()).toBe(true)
})

promise(
  ['CS-INBOX-3'],
  'without the server nothing can be decided, and it comes back',
  async () => {
    const { id } = await server.ask({ tool: 'pay', args: { to: 'Olga' } })
    const inbox = openInbox()
    await choose(inbox, 'Pay «Olga»?')
    await inbox.type('a')
    await inbox.shows('Type the last four characters')
    await server.stop()
    await inbox.shows('You can read, but not decide')
    expect(inbox.text()).toContain('Pay «Olga»?')

    await server.start()
    await inbox.shows(/live \d/)
    expect(inbox.text()).not.toContain('Type the last four')
    expect(await server.statusOf(id)).toBe('pending')
  },
)

promise(
  ['CS-INBOX-20', 'CS-SEC-4'],
  'a hidden value is shown on record, hides when left, and stays nowhere on the terminal',
  async () => {
    const args = { to: 'Quin', api_key: 'one-canary', password: 'two-canary\u001b[2J\u202E' }
    const { id } = await server.ask({ tool: 'pay', args })
    const inbox = openInbox()
    await choose(inbox, 'Pay «Quin»?')
    await inbox.shows('masked: api_key, password (r shows one)')
    const looks = async () => {
      const { stdout } = await countersign(['audit', 'export'], { cwd: server.cwd })
      return stdout.split('\n').filter((line) => line.includes('"revealed"') && line.includes(id))
    }
    await inbox.type('r')
    await inbox.shows('Show 1 api_key, 2 password?')
    await inbox.type('3')
    await inbox.type('\r')
    await inbox.shows('There is no hidden value of this number')
    expect(await looks()).toEqual([])
    await inbox.type('r')
    await inbox.type('2')
    await inbox.type('\r')
    await inbox.shows('two-canary')
    expect(inbox.text()).toContain('"two-canary\\u001b[2J‹U+202E›"')
    await inbox.shows('It is on record that you looked')
    const recorded = await looks()
    expect(recorded).toHaveLength(1)
    expect(recorded[0]).toContain('password')
    expect(recorded[0]).not.toContain('canary')
    // Nothing is decided over it.
    await inbox.type('a')
    await vi.waitFor(() => expect(inbox.text()).not.toContain('canary'), WAIT)
    await inbox.shows('Pay «Quin»?')
    await inbox.leave()
    expect(inbox.restored()).toBe(true)
    expect(inbox.raw()).not.toContain('one-canary')
    // All of it was drawn on the screen beside the usual one, which keeps no lines.
    const outside = inbox.raw().replace(/\?1049h.*?\?1049l/gs, '')
    expect(outside).not.toContain('canary')
    expect(await server.statusOf(id)).toBe('pending')
  },
)

test('without a terminal it says what to do instead', async () => {
  const ran = await countersign(['inbox'], { cwd: server.cwd })
  expect(ran.code).toBe(2)
  expect(ran.stderr).toMatch(/^usage: the inbox needs a terminal/)
})
