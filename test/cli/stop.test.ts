import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { signIn, start } from './started.ts'

promise(['CS-SERVE-2'], 'told to stop, it answers every waiting caller', async () => {
  const cwd = folder({ 'countersign.yaml': 'version: 1\ntools: { pay: { approval: true } }\n' })
  const { url, child, ended } = await start(cwd)
  const headers = await signIn(url)
  const token = await countersign(['token', 'create', '--agent', 'bot'], {
    cwd,
    env: { HOME: cwd },
  })
  const bot = { authorization: `Bearer ${token.stdout.trim()}` }
  const asked = (await (
    await fetch(new URL('/v1/calls', url), {
      method: 'POST',
      headers: { ...bot, 'content-type': 'application/json' },
      body: '{"tool":"pay","run":"r","args":{}}',
    })
  ).json()) as { id: string }
  const stream = await fetch(new URL('/v1/events', url), { headers })
  const reader = stream.body?.getReader()
  await reader?.read()
  const waiting = fetch(new URL(`/v1/approvals/${asked.id}?wait=50s`, url), { headers: bot })
  // The wait has arrived once the server counts it among its requests under way; asking for it is
  // answered in order on this machine.
  await fetch(new URL('/healthz', url))
  child.kill('SIGTERM')
  const answer = await waiting
  expect(answer.status).toBe(200)
  // The next request goes to another server, or to the one that comes after this.
  expect(answer.headers.get('connection')).toBe('close')
  expect(await answer.json()).toMatchObject({ id: asked.id, status: 'pending' })
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) break
  }
  expect(await ended).toBe(0)
  await expect(fetch(new URL('/healthz', url))).rejects.toThrow()
})
