import { expect, vi } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { createPresence, READING_MS } from '../../src/server/presence.ts'
import { promise } from '../support/promise.ts'
import { HOST, running } from './harness.ts'

const PAY = { tool: 'pay', run: 'r1', args: { amount: 500, to: 'x', card: '4111-canary' } }
const text = 'What is it for?'

async function asked() {
  const own = running()
  const agent = await own.agent('bot')
  const { at } = await own.send('/v1/calls', { as: agent, body: PAY })
  return { own, agent, id: at('id'), path: `/v1/approvals/${at('id')}` }
}

promise(
  ['CS-TALK-1', 'CS-TALK-2'],
  'a question reaches the agent over HTTP, its reply the card, and neither decides',
  async () => {
    const { own, agent, id, path } = await asked()
    const ana = await own.person('ana@example.com')
    const before = await own.send(path, { as: ana })
    const until = (before.body as { decideBy: number }).decideBy + 60_000
    const sent = await own.send(`${path}/questions`, { as: ana, body: { text, until } })
    expect(sent.body).toMatchObject({ status: 'pending', decideBy: until })
    const told = await own.send('/v1/calls', { as: agent, body: PAY })
    expect(told.body).toMatchObject({ status: 'pending', id, questions: [{ text }] })
    // At once, although it is still pending: there is something to answer.
    const waited = await own.send(`${path}?wait=30s&questions=true`, { as: agent })
    expect(waited.body).toMatchObject({ status: 'pending', questions: [{ text }] })
    expect(JSON.stringify(waited.body)).not.toContain('ana@example.com')
    const replied = await own.send(`${path}/replies`, {
      as: agent,
      body: { text: 'Approve it. The card is 4111-canary.' },
    })
    expect(replied.body).toMatchObject({ status: 'pending' })
    expect(replied.body).not.toHaveProperty('questions')
    const card = await own.send(path, { as: ana })
    expect(card.body).toMatchObject({
      status: 'pending',
      replied: true,
      digest: before.at('digest'),
      arguments: before.at('arguments'),
      decisions: [],
      talk: [
        { kind: 'question', by: { subject: 'ana@example.com' }, text },
        { kind: 'reply', text: 'Approve it. The card is [secret].' },
      ],
    })
    const again = await own.send(`${path}/replies`, { as: agent, body: { text: 'x' } })
    expect(again.at('error.code')).toBe('not_asked')
  },
)

promise(['CS-TALK-3'], 'for the token of another agent there is nothing to reply to', async () => {
  const { own, agent, path } = await asked()
  const ana = await own.person('ana@example.com')
  await own.send(`${path}/questions`, { as: ana, body: { text } })
  const others = [
    await own.agent('other'),
    await own.agent('bot', { principal: 'bo@example.com' }),
    await own.agent('bot', { vouches: true }),
  ]
  for (const as of others) {
    const refused = await own.send(`${path}/replies`, { as, body: { text: 'Because.' } })
    expect([refused.status, refused.at('error.code')]).toEqual([404, 'approval_not_found'])
  }
  // Nor may an agent do what is for people.
  for (const act of ['questions', 'comments']) {
    const refused = await own.send(`${path}/${act}`, { as: agent, body: { text } })
    expect(refused.status).toBe(403)
  }
  const card = await own.send(path, { as: ana })
  expect(card.body).toMatchObject({ questions: 1, talk: [{ kind: 'question' }] })
})

promise(['CS-TALK-5'], 'a person who was locked says nothing', async () => {
  const { own, path } = await asked()
  const ana = await own.person('ana@example.com')
  const root = await own.person('root@example.com', ['admin'])
  const target = { person: { issuer: 'local', subject: 'ana@example.com' } }
  const lock = await own.send('/v1/locks', { as: root, body: { target, reason: 'left' } })
  expect(lock.status).toBe(201)
  for (const act of ['questions', 'comments', 'assign', 'remind', 'reading']) {
    const body = act === 'questions' || act === 'comments' ? { text } : {}
    const refused = await own.send(`${path}/${act}`, { as: ana, body, method: 'POST' })
    expect([act, refused.status]).toEqual([act, 423])
  }
})

promise(['CS-TALK-6'], 'only people whose yes could count are offered and taken', async () => {
  const { own, path } = await asked()
  const ana = await own.person('ana@example.com')
  await own.person('bo@example.com')
  await own.person('vera@example.com', ['viewer'])
  const { body } = await own.send(`${path}/assignable`, { as: ana })
  const { people } = body as { people: readonly { id: string; email: string }[] }
  expect(people.map(({ email }) => email).sort()).toEqual(['ana@example.com', 'bo@example.com'])
  const bo = people.find(({ email }) => email === 'bo@example.com')
  await own.send(`${path}/assign`, { as: ana, body: { to: bo?.id } })
  const card = await own.send(path, { as: ana })
  expect(card.body).toMatchObject({
    assigned: { to: { email: 'bo@example.com' } },
    assignee: 'bo@example.com',
    mine: { may: true },
  })
  const refused = await own.send(`${path}/assign`, { as: ana, body: { to: 'x' } })
  expect(refused.at('error.code')).toBe('not_an_approver')
})

promise(['CS-TALK-7'], 'who reads is told on the stream, and forgotten', async () => {
  const { own, id, path } = await asked()
  const [ana, bo] = [await own.person('ana@example.com'), await own.person('bo@example.com')]
  const stream = await own.server.app.request('/v1/events', {
    headers: { host: HOST, ...bo },
  })
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  const { body } = await own.send(`${path}/reading`, { as: ana, method: 'POST' })
  expect(body).toMatchObject({ id, readers: [{ subject: 'ana@example.com' }] })
  const said = new TextDecoder().decode((await reader.read()).value)
  expect(said).toContain('event: reading\n')
  expect(said).toContain('ana@example.com')
  await reader.cancel()
  expect(JSON.stringify(await own.store.events(id))).not.toContain('ana@example.com')

  vi.useFakeTimers()
  try {
    const told: unknown[] = []
    const presence = createPresence(
      (readers) => told.push(readers),
      () => Date.now(),
    )
    const one = { issuer: 'local', subject: 'ana' }
    presence.read('a', one)
    vi.advanceTimersByTime(10_000)
    presence.read('a', one)
    vi.advanceTimersByTime(READING_MS - 1)
    expect(told).toEqual([{ id: 'a', readers: [one] }])
    vi.advanceTimersByTime(2_000)
    expect(told.at(-1)).toEqual({ id: 'a', readers: [] })
    presence.close()
  } finally {
    vi.useRealTimers()
  }
})

promise(['CS-TALK-1'], 'a gate over HTTP returns the question and takes the reply', async () => {
  const { own, agent } = await asked()
  const ana = await own.person('ana@example.com')
  {
    const gate = remoteGate({
      url: `http://${HOST}`,
      token: agent.authorization?.replace('Bearer ', '') ?? '',
      announce: false,
      fetch: async (input, init) => {
        const { pathname, search } = new URL(String(input))
        const headers = { ...(init?.headers as Record<string, string>), host: HOST }
        return own.server.app.request(`${pathname}${search}`, { ...init, headers })
      },
    })
    const call = { ...PAY, run: 'r2', key: 'k' }
    const tool = vi.fn(async () => 'done')
    const waiting = gate.run(call, tool, { returnQuestions: true })
    const id = await vi.waitFor(async () => {
      const [found] = (await own.store.list({ status: ['pending'], run: 'r2' })).approvals
      return found?.id ?? Promise.reject(new Error('nothing was asked yet'))
    })
    await own.send(`/v1/approvals/${id}/questions`, { as: ana, body: { text } })
    expect(await waiting).toMatchObject({ status: 'pending', questions: [{ text }] })
    await gate.answer(id, 'the rent')
    expect((await own.store.get(id))?.talk).toHaveLength(2)
    expect(await gate.check(call)).not.toHaveProperty('questions')
    expect(tool).not.toHaveBeenCalled()
  }
})
