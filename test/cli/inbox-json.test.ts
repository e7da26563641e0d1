import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { BIN, cleanEnv } from './countersign.ts'
import { runServer } from './running-server.ts'

vi.setConfig({ testTimeout: 90_000 })

const POLICY = `version: 1
tools:
  pay: { secrets: [card], approval: { approvers: ["*"] } }
`

promise(['CS-INBOX-18'], 'programs read what waits, line by line, as it changes', async () => {
  const server = await runServer(POLICY)
  onTestFinished(() => server.remove())
  const first = await server.ask({ tool: 'pay', run: 'a', args: { card: '4111-hidden' } })
  const child = spawn(process.execPath, [BIN, 'inbox', '--json'], {
    cwd: server.cwd,
    env: cleanEnv(),
  })
  onTestFinished(() => void child.kill())
  const seen: { event: string; id?: string; status?: string; approval?: { id: string } }[] = []
  let text = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    text += line
    seen.push(JSON.parse(line))
  })
  const short = () => seen.map(({ event, id, approval }) => [event, id ?? approval?.id])
  await expect.poll(short, { timeout: 20_000 }).toEqual([['waiting', first.id]])

  const second = await server.ask({ tool: 'pay', run: 'b', args: { card: '5' } })
  await expect.poll(short, { timeout: 20_000 }).toContainEqual(['waiting', second.id])
  await server.withdraw(first.id)
  await expect
    .poll(() => seen.at(-1), { timeout: 20_000 })
    .toEqual({
      event: 'settled',
      id: first.id,
      status: 'withdrawn',
    })
  expect(text).not.toContain('4111-hidden')

  await server.stop()
  await expect.poll(() => seen.at(-1)?.event, { timeout: 20_000 }).toBe('lost')
  child.kill('SIGINT')
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
})
