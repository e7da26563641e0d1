import { expect } from 'vitest'
import { setAccount } from '../../src/server/identity/people.ts'
import { promise } from '../support/promise.ts'
import { answer, chosen, closed, connect, place, question, textOf } from './gateway.ts'

const PAY = { name: 'pay', arguments: { to: 'Lena', amount: 5 } }

promise.each(
  ['CS-MCP-33', 'CS-MCP-34'],
  'B7-13: an answer that no person chose is no answer, and the question stays in the inbox',
  [
    ['an empty form, accepted late', () => late({})],
    ['no content', () => late(undefined)],
    ['another word', () => late({ decision: 'yes' })],
    ['another case', () => late({ decision: 'Approve' })],
    ['a list', () => late({ decision: ['approve'] })],
    ['more than was asked for', () => late({ decision: 'approve', all: true })],
    ['closed at once, as by `claude -p`', () => Promise.resolve({ action: 'cancel' as const })],
  ] as const,
  async (_, onElicit) => {
    const at = place()
    const { client } = await connect(at, { args: ['--hold', '2'], onElicit })
    const result = await client.callTool(PAY)
    expect(result.isError).toBeUndefined()
    expect(textOf(result)).toContain('has not run')
    expect(at.witnessed()).toEqual([])
    expect((await question(at)).decisions).toEqual([])
  },
)

function accepted(content: object | undefined) {
  return { action: 'accept', ...(content ? { content } : {}) } as never
}

async function late(content: object | undefined) {
  await closed('cancel')
  return accepted(content)
}

promise(
  ['CS-MCP-35'],
  'opening the card is no yes: the call waits, and nobody says that it is over',
  async () => {
    const at = place()
    const { client, received } = await connect(at, {
      args: ['--hold', '2'],
      elicitation: { url: {} },
      onElicit: () => chosen('approve'),
    })
    expect(textOf(await client.callTool(PAY))).toContain('has not run')
    expect(at.witnessed()).toEqual([])
    expect((await question(at)).decisions).toEqual([])
    expect(received.map(({ method }) => method)).not.toContain('notifications/elicitation/complete')
  },
)

promise(
  ['SP-41'],
  'a client that did not say it can show questions hears none, and the inbox answers',
  async () => {
    const at = place()
    const { client, received } = await connect(at)
    const paying = client.callTool(PAY)
    await answer(at, 'approve')
    expect(textOf(await paying)).toBe('paid 5 to Lena')
    expect(received.map(({ method }) => method)).not.toContain('elicitation/create')
    // One that opens addresses and has no forms is never shown a form.
    const alone = place()
    const opens = await connect(alone, {
      args: ['--no-inbox'],
      elicitation: { url: {} },
      onElicit: () => chosen('approve'),
    })
    expect(textOf(await opens.client.callTool(PAY))).toContain('no person can be asked')
    expect(opens.received.map(({ method }) => method)).not.toContain('elicitation/create')
    expect(alone.witnessed()).toEqual([])
  },
)

promise(['CS-MCP-7'], 'a question for other people is not put to the client', async () => {
  const at = place('version: 1\ndefaults: { gateway: review }\n')
  let asked = 0
  const { client } = await connect(at, {
    args: ['--hold', '1'],
    elicitation: { form: {}, url: {} },
    onElicit() {
      asked++
      return chosen('approve')
    },
  })
  const cy = { issuer: 'local', subject: 'cy', roles: ['approver'] as const }
  await setAccount((await at.store()).records, cy)
  expect(textOf(await client.callTool(PAY))).toContain('waits for a person')
  expect(asked).toBe(0)
})
