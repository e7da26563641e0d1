import { type ChildProcess, spawn } from 'node:child_process'
import { expect, onTestFinished } from 'vitest'
import { BIN, cleanEnv } from './countersign.ts'

export interface Started {
  readonly url: string
  readonly greeting: string
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
}

/** `countersign start` on a free port, stopped after the test. */
export function start(
  cwd: string,
  args: string[] = [],
  env: Record<string, string> = {},
  bin = BIN,
): Promise<Started> {
  const child = spawn(process.execPath, [bin, 'start', '--port', '0', ...args], {
    cwd,
    env: { ...cleanEnv(), HOME: cwd, ...env },
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let greeting = ''
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
    child.stdout.on('data', (chunk) => {
      greeting += chunk
      const [url] = /https?:[^\s"]+/.exec(greeting) ?? []
      const complete = greeting.endsWith('Ctrl-C to stop.\n') || greeting.endsWith('}\n')
      if (url !== undefined && complete) resolve({ url, greeting, child, ended })
    })
  })
}

/** Follows the printed link and gives what a browser would send from then on. */
export async function signIn(url: string): Promise<Record<string, string>> {
  const token = new URL(url).hash.replace('#signin=', '')
  const response = await fetch(new URL('/v1/session', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  expect(response.status).toBe(200)
  const { csrf } = (await response.json()) as { csrf: string }
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { cookie, 'x-countersign-csrf': csrf }
}
