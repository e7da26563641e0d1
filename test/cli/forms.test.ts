import { Readable } from 'node:stream'
import { Command } from 'commander'
import { afterAll, beforeAll, expect } from 'vitest'
import { addDecide } from '../../src/cli/commands/decide.ts'
import { PLAIN } from '../../src/cli/print/colour.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { promise } from '../support/promise.ts'
import { countersign } from './countersign.ts'
import { type RunningServer, runServer } from './running-server.ts'

const POLICY = `version: 1
tools: { pay: { approval: { approvers: ["*"] } } }
`
const FORM = {
  type: 'object',
  title: 'Release\u001b[2J of the deposit',
  required: ['amount', 'account'],
  properties: {
    amount: { type: 'integer', title: 'Amount', minimum: 1, maximum: 500 },
    account: { enum: ['main', 'savings'], description: 'Where it goes' },
    ship: { type: 'object', properties: { city: { type: 'string' } } },
  },
}

let server: RunningServer

beforeAll(async () => {
  server = await runServer(POLICY)
})
afterAll(() => server?.remove())

const ask = (form?: object, more: object = {}) =>
  server.ask({ tool: 'pay', args: { n: Math.random() }, ...(form ? { form } : {}), ...more })

/** `countersign approve` with a person at the terminal who types the end of the digest. */
async function approve(asked: { id: string; digest: string }, ...flags: string[]) {
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
  const stdin = Object.assign(Readable.from([`${asked.digest.slice(-4)}\n`]), { isTTY: true })
  const shell: Shell = { out: output, err: output, stdin, env: {}, cwd: server.cwd }
  const program = new Command().exitOverride()
  addDecide(program, async (body) => void (await body(shell)))
  const refused = await program.parseAsync(['approve', asked.id, ...flags], { from: 'user' }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { text, refused }
}

promise(['CS-FORM-9'], 'show prints the form, and --set fills it in', async () => {
  const asked = await ask(FORM)
  const show = await countersign(['show', asked.id], { cwd: server.cwd })
  expect(show.stdout).toContain('To fill in with a yes, in the words of the asker')
  expect(show.stdout).toContain('  > Release‹U+001B›[2J of the deposit')
  expect(show.stdout).toContain('  amount (required): whole number, from 1, up to 500')
  expect(show.stdout).toContain('  account (required): choose one: 1 main, 2 savings')
  expect(show.stdout).toContain('    > Where it goes')
  expect(show.stdout).not.toContain('\u001b')
  const tries: [string[], RegExp][] = [
    [[], /amount: Fill this in\. account: Choose one\./],
    [['--set', 'amount=501'], /amount: At most 500\./],
    [['--set', 'amount'], /--set amount has no value/],
    [['--set', 'sum=5'], /the form has no sum/],
    [['--set', 'amount=5', '--set', 'account=third'], /account: Choose one of 1 main, 2 savings/],
    [['--payload', '{'], /--payload is not JSON/],
    [['--payload', '{}', '--set', 'amount=5'], /do not go together/],
    [['--payload', '{"amount":5,"account":"third"}'], /account must be equal to one of/],
  ]
  for (const [flags, why] of tries) {
    expect((await approve(asked, ...flags)).refused, flags.join(' ')).toMatch(why)
  }
  expect(await server.statusOf(asked.id)).toBe('pending')
  const done = await approve(
    asked,
    ...['--set', 'amount=120', '--set', 'account=savings', '--set', 'ship.city=Bern'],
  )
  expect(done.refused).toBe(undefined)
  expect(done.text).toContain('Your answers')
  expect(done.text).toContain('It is approved now.')
  const after = await countersign(['show', asked.id], { cwd: server.cwd })
  expect(after.stdout).toContain(
    'answered {"account":"savings","amount":120,"ship":{"city":"Bern"}}',
  )
})

promise(['CS-FORM-9'], 'a call without a form takes a payload, and no --set', async () => {
  const asked = await ask()
  expect((await approve(asked, '--set', 'a=1')).refused).toContain('this call has no form')
  expect((await approve(asked, '--payload', '{"a":1}')).refused).toBe(undefined)
  expect(await server.statusOf(asked.id)).toBe('approved')
})

promise(['CS-FORM-10'], 'show prints the steps of the workflow as claimed', async () => {
  const workflow = { name: 'de\u202Eposit', step: 'release', done: ['collect'], next: ['pay'] }
  const asked = await ask(undefined, {
    run: 'openworkflow:run%201/release',
    context: { workflow },
  })
  const { stdout } = await countersign(['show', asked.id], { cwd: server.cwd })
  const claimed = stdout.slice(stdout.indexOf('Claimed by the agent, not checked'))
  expect(claimed).toContain('  > workflow de‹U+202E›posit')
  expect(claimed).toContain('  >   done: collect')
  expect(claimed).toContain('  >   waits here: release')
  expect(claimed).toContain('  >   next: pay')
  expect(stdout).toContain('run run 1 of a workflow on openworkflow')
})
