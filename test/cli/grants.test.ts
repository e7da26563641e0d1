import { Readable } from 'node:stream'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDecide } from '../../src/cli/commands/decide.ts'
import { addGrants } from '../../src/cli/commands/grants.ts'
import { PLAIN } from '../../src/cli/print/colour.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { promise } from '../support/promise.ts'
import { countersign } from './countersign.ts'
import { type RunningServer, runServer } from './running-server.ts'

const POLICY = `version: 1
tools:
  pay: { approval: { approvers: ["*"] } }
  wipe: { approval: { grants: false } }
`

let server: RunningServer

beforeAll(async () => {
  server = await runServer(POLICY)
})

afterAll(() => server?.remove())

/** A command with somebody at the terminal who types this. */
async function typing(args: readonly string[], typed: string) {
  let text = ''
  const output = {
    paint: PLAIN,
    terminal: true,
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
  const stdin = Object.assign(Readable.from([`${typed}\n`]), { isTTY: true })
  const shell: Shell = { out: output, err: output, stdin, env: {}, cwd: server.cwd }
  const program = new Command().exitOverride()
  addDecide(program, async (body) => void (await body(shell)))
  addGrants(program, async (body) => void (await body(shell)))
  const refused = await program.parseAsync(args, { from: 'user' }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { text, refused }
}

async function pay(args: object, run = 'chat-1') {
  const asked = await server.ask({ tool: 'pay', run, key: crypto.randomUUID(), args })
  return { ...asked, status: (asked as unknown as { status: string }).status }
}

promise(['CS-GRANT-7'], 'approve --grant shows the rule and makes it with the yes', async () => {
  const first = await pay({ to: 'rent' })
  const end = first.digest.slice(-4)
  const options = ['approve', first.id, '--grant', '--uses', '2', '--for', '2h']
  const { text, refused } = await typing(options, end)
  expect(refused).toBe(undefined)
  expect(text).toContain('With your yes this is granted')
  expect(text).toContain('all arguments exactly equal')
  expect(text).toContain('Only in the run chat-1.')
  expect(text).toContain('At most 2 times.')
  expect((await pay({ to: 'rent' })).status).toBe('approved')
  expect((await pay({ to: 'other' })).status).toBe('pending')

  const list = await countersign(['grants'], { cwd: server.cwd })
  expect(list.stdout).toContain('pay by bot: 1 of 2 uses')
  const id = /^\S+/.exec(list.stdout)?.[0] ?? ''
  const show = await countersign(['grants', 'show', id], { cwd: server.cwd })
  expect(show.stdout).toContain('use 1')
  const revoked = await countersign(['grants', 'revoke', id], { cwd: server.cwd })
  expect(revoked).toMatchObject({ code: 0, stdout: 'It is revoked now.\n' })
  expect((await pay({ to: 'rent' })).status).toBe('pending')
  const gone = await countersign(['grants', 'show', 'x'.repeat(30)], { cwd: server.cwd })
  expect(gone).toMatchObject({ code: 4, stderr: expect.stringMatching(/^grant_not_found: /) })
})

promise(['CS-GRANT-9'], 'a grant by hand needs a terminal and the name of the tool', async () => {
  const when = JSON.stringify({ args_match: { amount: { lte: 50 } } })
  const named = ['grants', 'mint', '--tool', 'pay', '--agent', 'bot']
  const options = [...named, '--when', when, '--budget', 'amount=60', '--for', '1h']
  const piped = await countersign(options, { cwd: server.cwd, stdin: 'pay\n' })
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('terminal') })
  expect((await typing(options, 'yes')).refused).toContain('not its name')
  expect((await typing(named, 'pay')).refused).toContain('--when is missing')
  const { text, refused } = await typing(options, 'pay')
  expect(refused).toBe(undefined)
  expect(text).toContain('The sum of amount stays within 60.')
  expect((await pay({ amount: 40 }, 'chat-2')).status).toBe('approved')
  expect((await pay({ amount: 21 }, 'chat-3')).status).toBe('pending')
  expect((await pay({ amount: 20 }, 'chat-3')).status).toBe('approved')
})

test('what cannot be granted is said before anything is decided', async () => {
  const asked = await server.ask({ tool: 'wipe', args: {} })
  const end = asked.digest.slice(-4)
  expect((await typing(['approve', asked.id, '--grant'], end)).refused).toContain('forbids grants')
  expect((await typing(['approve', asked.id, '--uses', '3'], end)).refused).toContain('--grant')
  expect(await server.statusOf(asked.id)).toBe('pending')
})
