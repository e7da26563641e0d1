import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const PAY = { tool: 'pay', run: 'chat-1', args: { amount: 500, to: 'Lena' } }

function canOf({ body }: { readonly body: unknown }): readonly string[] {
  return (body as { readonly can: readonly string[] }).can
}

promise(['CS-NO-1'], 'over HTTP an approver lifts a denial, and an agent cannot', async () => {
  const own = running()
  const bot = await own.agent('bot')
  const ana = await own.person('ana@example.com')
  const ask = (key: string) => own.send('/v1/calls', { as: bot, body: { ...PAY, key } })
  const asked = await ask('k1')
  const path = `/v1/approvals/${asked.at('id')}`
  expect(canOf(await own.send(path, { as: ana }))).not.toContain('lift')
  const no = { verdict: 'deny', digest: asked.at('digest') }
  await own.send(`${path}/decisions`, { as: ana, body: no })
  expect(canOf(await own.send(path, { as: ana }))).toContain('lift')
  expect((await ask('k2')).body).toMatchObject({ status: 'blocked', code: 'denied' })
  expect((await own.send(`${path}/lift`, { as: bot, body: {} })).status).toBe(403)
  const lifted = await own.send(`${path}/lift`, { as: ana, body: {} })
  expect(lifted).toMatchObject({ status: 200 })
  expect(canOf(await own.send(path, { as: ana }))).not.toContain('lift')
  expect(lifted.body).toMatchObject({ status: 'denied', lifted: true })
  expect((await ask('k1')).body).toMatchObject({ status: 'blocked', code: 'denied' })
  expect((await ask('k3')).at('status')).toBe('pending')
})
