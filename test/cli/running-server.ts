import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { BIN, cleanEnv, countersign } from './countersign.ts'

/** `countersign start` in a folder of its own, with an agent that asks it. */
export interface RunningServer {
  readonly cwd: string
  /** As it is bound now. */
  readonly url: string
  readonly token: string
  /** By the agent `bot`, unless another token is given. */
  ask(body: object, token?: string): Promise<{ readonly id: string; readonly digest: string }>
  newToken(agent: string): Promise<string>
  statusOf(id: string): Promise<string>
  /** By the agent `bot`. */
  withdraw(id: string): Promise<void>
  /** Ends the process; `start` begins another one on the same database. */
  stop(): Promise<void>
  /** The same without a word: nothing is written down any more. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Ends it and removes the folder. */
  remove(): Promise<void>
}

export async function runServer(
  policy: string,
  flags: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'countersign-server-'))
  writeFileSync(path.join(cwd, 'countersign.yaml'), policy)
  let child: ChildProcess | undefined
  let url = ''

  async function start(): Promise<void> {
    // Begun again it listens where it did: pages go on asking there.
    const port = url === '' ? '0' : new URL(url).port
    const args = [BIN, 'start', '--port', port, '--json', ...flags]
    const started = spawn(process.execPath, args, {
      cwd,
      // A model that happens to run on this machine is not part of the test.
      env: {
        ...{ ...cleanEnv(), COUNTERSIGN_CHAT_LOCAL: 'off', COUNTERSIGN_CHAT_ALLOW: '127.0.0.1' },
        ...more,
      },
    })
    child = started
    url = await new Promise((resolve, reject) => {
      let text = ''
      started.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
      started.stdout.on('data', (chunk) => {
        text += chunk
        const [, address] = /"url": "([^"]+)"/.exec(text) ?? []
        if (address !== undefined) resolve(address)
      })
    })
  }

  function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child
    if (ending === undefined || ending.exitCode !== null) return Promise.resolve()
    return new Promise((resolve) => {
      ending.on('close', () => resolve())
      ending.kill(signal)
    })
  }

  const stop = () => end('SIGTERM')

  await start()
  const newToken = async (agent: string) =>
    (await countersign(['token', 'create', '--agent', agent], { cwd })).stdout.trim()
  const headersOf = (token: string) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  })
  const token = await newToken('bot')
  const headers = headersOf(token)
  return {
    cwd,
    get url() {
      return url
    },
    token,
    newToken,
    async ask(body, by = token) {
      const sent = { method: 'POST', headers: headersOf(by), body: JSON.stringify(body) }
      const response = await fetch(new URL('/v1/calls', url), sent)
      if (!response.ok) throw new Error(await response.text())
      return (await response.json()) as { id: string; digest: string }
    },
    async statusOf(id) {
      const response = await fetch(new URL(`/v1/approvals/${id}`, url), { headers })
      return ((await response.json()) as { status: string }).status
    },
    async withdraw(id) {
      await fetch(new URL(`/v1/approvals/${id}/withdraw`, url), { method: 'POST', headers })
    },
    stop,
    kill: () => end('SIGKILL'),
    start,
    async remove() {
      await stop()
      rmSync(cwd, { recursive: true, force: true })
    },
  }
}
