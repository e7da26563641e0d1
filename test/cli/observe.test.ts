import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { BIN, cleanEnv, countersign, folder } from './countersign.ts'

const DRAFT = 'version: 1\ntools: { pay: { approval: true } }\n'
const LOOSER = `version: 1
tools: { pay: { approval: { condition: { args_match: { amount: { gt: 100 } } } } } }
`

function start(cwd: string) {
  const child = spawn(process.execPath, [BIN, 'start', '--port', '0', '--observe'], {
    cwd,
    env: { ...cleanEnv(), HOME: cwd },
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return new Promise<{ url: string; greeting: string }>((resolve, reject) => {
    let greeting = ''
    child.on('close', () => reject(new Error(greeting)))
    child.stdout.on('data', (chunk) => {
      greeting += chunk
      const [url] = /http:[^\s"#]+/.exec(greeting) ?? []
      if (url !== undefined && greeting.endsWith('Ctrl-C to stop.\n')) resolve({ url, greeting })
    })
  })
}

promise(
  ['CS-OBSERVE-2', 'CS-OBSERVE-3'],
  'a server that observes says so, and what it recorded is replayed against another policy',
  async () => {
    const cwd = folder({ 'countersign.yaml': DRAFT, 'looser.yaml': LOOSER })
    const { url, greeting } = await start(cwd)
    expect(greeting).toContain('OBSERVING')
    const ready = await fetch(new URL('/readyz', url))
    expect(await ready.json()).toEqual({ status: 'ok', mode: 'observe' })
    const metrics = await (await fetch(new URL('/metrics', url))).text()
    expect(metrics).toContain('countersign_observing 1')
    const home = { cwd, env: { HOME: cwd } }
    const token = (await countersign(['token', 'create', '--agent', 'b'], home)).stdout.trim()
    for (const amount of [5, 500]) {
      const response = await fetch(new URL('/v1/calls', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ tool: 'pay', run: 'r', key: `${amount}`, args: { amount } }),
      })
      expect(await response.json()).toMatchObject({ status: 'allowed' })
    }
    const same = await countersign(
      ['policy', 'replay', 'looser.yaml', '--recorded', '--json'],
      home,
    )
    expect(same.code).toBe(0)
    const lines = same.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toMatchObject([
      { index: 0, verdict: 'allow', message: '', reasons: [] },
      { index: 1, verdict: 'confirm', reasons: [{ source: 'tool' }] },
    ])
  },
)

test.each([[[]], [['--recorded', '--calls', 'x']]])(
  'replay wants one source and no more: %j',
  async (more) => {
    const cwd = folder({ 'countersign.yaml': DRAFT })
    const args = ['policy', 'replay', 'countersign.yaml', ...more]
    const { code, stderr } = await countersign(args, { cwd, env: { HOME: cwd } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^usage: replay needs either/)
  },
)
