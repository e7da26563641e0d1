import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { freshDatabase } from '../support/postgres.ts'
import { HOST, running, signIn } from './harness.ts'

const PAY = { tool: 'pay', run: 'r1', args: { amount: 500, to: 'Lena' } }

async function two() {
  const url = await freshDatabase()
  const tenant = randomUUID()
  const open = async () => running({ store: await openPostgres(url, { tenant }) })
  return { a: await open(), b: await open() }
}

test('two servers on one Postgres behave as one', async () => {
  const { a, b } = await two()
  // Signed in and given a token at one of them, good at both.
  const [ana, bot] = [await a.person('ana@example.com'), await b.agent('bot')]
  const asked = await b.send('/v1/calls', { as: bot, body: PAY })
  const at = `/v1/approvals/${asked.at('id')}`
  const digest = asked.at('digest')

  const response = await b.server.app.request('/v1/events', { headers: { host: HOST, ...ana } })
  const reader = response.body?.getReader()
  let heard = ''
  const listening = (async () => {
    for (;;) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return
      heard += new TextDecoder().decode(chunk.value)
    }
  })()

  const waiting = b.send(`${at}?wait=15s`, { as: bot })
  const start = performance.now()
  expect(
    (await a.send(`${at}/decisions`, { as: ana, body: { verdict: 'approve', digest } })).body,
  ).toMatchObject({ status: 'approved' })
  expect((await waiting).body).toMatchObject({ status: 'approved' })
  expect(performance.now() - start).toBeLessThan(5_000)
  await expect.poll(() => heard, { timeout: 5_000 }).toContain('"status":"approved"')
  await reader?.cancel()
  await listening

  // One claim, whichever server is asked.
  const claims = await Promise.all(
    [a, b, a, b].map((own) => own.send(`${at}/claim`, { as: bot, body: { digest } })),
  )
  expect(claims.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
})

test('a sign-in link is used up for both', async () => {
  const { a, b } = await two()
  const token = await a.server.inviteOperator()
  const tries = [a, b, a, b].map(({ send }) => send('/v1/session', { body: { token } }))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401])
  const again = await b.server.inviteOperator()
  await signIn(a.send, again)
})
