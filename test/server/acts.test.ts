import { expect } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const PAY = { tool: 'pay', args: { amount: 500, to: 'Lena', card: 'canary-4111' }, run: 'r' }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Answers to acts, each beside the card that the same person reads next. */
async function acting() {
  let ahead = 0
  const own = running({ store: memoryStore({ clock: () => Date.now() + ahead }) })
  const bot = await own.agent('bot')
  const ana = await own.person('ana@example.com')
  return {
    ...own,
    bot,
    /** Lets time pass, and what it decides be written down. */
    async pass(ms: number) {
      ahead += ms
      const sweeper = startSweeper({ store: own.store, every: 1_000_000_000 })
      await sweeper.sweep()
      await sweeper.stop()
    },
    async ask(body: object) {
      const asked = await own.send('/v1/calls', { as: bot, body })
      return { at: `/v1/approvals/${asked.at('id')}`, digest: asked.at('digest') }
    },
    async act(path: string, body: object, as = ana) {
      const answer = await own.send(path, { as, body })
      expect([path, answer.status]).toEqual([path, 200])
      const card = await own.send(path.slice(0, path.lastIndexOf('/')), { as })
      // Every word of it is the card's own, and none holds what the call carries.
      expect(card.body).toMatchObject(answer.body as object)
      expect(Object.keys(answer.body as object).filter((name) => HELD.includes(name))).toEqual([])
      expect(JSON.stringify(answer.body)).not.toContain('canary')
      return answer.body
    },
  }
}

const HELD = ['arguments', 'askedArguments', 'decisions', 'outcome', 'claimed', 'why', 'form']

promise(['CS-ACT-1'], 'a decision answers how it stands, and what it lacks', async () => {
  const { ask, act, person } = await acting()
  const [fay, finn] = [await person('fay@example.com'), await person('finn@example.com')]
  const { at, digest } = await ask({ tool: 'wire', args: { amount: 1, note: 'canary-note' } })
  const yes = { verdict: 'approve', digest }
  expect(await act(`${at}/decisions`, { ...yes, reason: 'canary-reason' }, fay)).toEqual({
    id: at.split('/').at(-1),
    revision: 2,
    status: 'pending',
    digest,
    decideBy: expect.any(Number),
    met: { have: 1, need: 2 },
  })
  const approved = await act(`${at}/decisions`, { ...yes, payload: { pin: 'canary-pin' } }, finn)
  expect(approved).toMatchObject({
    status: 'approved',
    by: ['fay@example.com', 'finn@example.com'],
    decidedAt: expect.any(Number),
    useBy: expect.any(Number),
  })
  // Nothing is missing any more, so nothing is counted.
  expect(approved).not.toHaveProperty('met')
})

promise(['CS-ACT-1'], 'an edit answers the question as it reads now, masked', async () => {
  const { ask, act } = await acting()
  const { at, digest } = await ask(PAY)
  const edit = { arguments: { ...PAY.args, amount: 300, card: '[secret]' } }
  const edited = await act(`${at}/decisions`, { verdict: 'approve', digest, edit })
  expect(edited).toMatchObject({
    isEdited: true,
    message: 'Pay 300 to Lena?',
    values: [
      [4, 7],
      [11, 15],
    ],
  })
  expect(edited).not.toMatchObject({ digest })
  const plain = await ask({ ...PAY, run: 'other' })
  const unchanged = { verdict: 'approve', digest: plain.digest }
  expect(await act(`${plain.at}/decisions`, unchanged)).not.toHaveProperty('message')
})

promise(['CS-ACT-1'], 'so do extending, lifting, withdrawing and resolving', async () => {
  const { ask, act, agent, send, pass, bot } = await acting()
  const { at, digest } = await ask(PAY)
  const until = Date.now() + DAY_MS + HOUR_MS
  expect(await act(`${at}/extend`, { until })).toMatchObject({ decideBy: until, met: { have: 0 } })
  await act(`${at}/decisions`, { verdict: 'deny', digest })
  expect(await act(`${at}/lift`, {})).toMatchObject({ status: 'denied', lifted: true })

  const forAna = await agent('helper', { principal: 'ana@example.com' })
  const own = await send('/v1/calls', { as: forAna, body: { tool: 'note', args: {} } })
  const hers = `/v1/approvals/${own.at('id')}`
  expect(await act(`${hers}/withdraw`, {})).toMatchObject({ status: 'withdrawn' })

  const lost = await ask({ ...PAY, run: 'lost' })
  await act(`${lost.at}/decisions`, { verdict: 'approve', digest: lost.digest })
  await send(`${lost.at}/claim`, { as: bot, body: { digest: lost.digest } })
  await pass(HOUR_MS)
  const known = { outcome: 'succeeded', reason: 'canary: on the statement' }
  expect(await act(`${lost.at}/resolve`, known)).toMatchObject({ execution: 'succeeded' })
})
