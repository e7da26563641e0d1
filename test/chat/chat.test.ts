import { expect, test } from 'vitest'
import { chatWorld, textOf } from './chat-world.ts'

test('pay', async () => {
  const { signIn } = chatWorld()
  const ana = await signIn('ana@example.com')
  const id = await ana.begin()
  const turn = await ana.say(id, 'Pay Northwind 18,400')
  const [approval = ''] = await turn.asked()
  console.log(JSON.stringify(await ana.card(approval), undefined, 1).slice(0, 3000))
  const done = await ana.decide(approval, 'approve')
  expect(done.status).toBe(200)
  await turn.ended()
  const { last, state } = await ana.read(id)
  console.log(JSON.stringify(last, undefined, 1))
  expect(state).toBe('idle')
  expect(textOf(last)).toContain('ran')
})
