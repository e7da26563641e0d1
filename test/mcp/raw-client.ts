import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { BIN, cleanEnv } from '../cli/countersign.ts'
import type { Place } from './gateway.ts'

export interface RawClient {
  send(line: string): void
  /** The next line of the gateway, as it is written. */
  next(): Promise<string>
  /** Sends a request and gives the line that answers it; whatever else comes is in `told`. */
  ask(id: number, method: string, params?: object): Promise<string>
  readonly told: string[]
  readonly stderr: () => string
}

export interface RawOptions {
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** `countersign mcp` and its lines, without an SDK that reads them first. */
export function rawClient({ cwd }: Place, options: RawOptions): RawClient {
  const { command = [], args = [], env = {} } = options
  const behind = command.length > 0 ? ['--', ...command] : []
  const child = spawn(process.execPath, [BIN, 'mcp', ...args, ...behind], {
    cwd,
    env: { ...cleanEnv(), HOME: cwd, WITNESS: path.join(cwd, 'witness'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.stdin.end()
    if (child.exitCode === null) await gone
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const told: string[] = []
  const send = (line: string) => void child.stdin.write(`${line}\n`)

  async function next(): Promise<string> {
    const { value, done } = await lines.next()
    if (done === true || value === undefined) throw new Error(`the gateway ended: ${stderr}`)
    return value
  }

  return {
    send,
    next,
    told,
    stderr: () => stderr,
    async ask(id, method, params = {}) {
      send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      for (;;) {
        const line = await next()
        const { id: answered, method: asked } = JSON.parse(line)
        if (answered === id && asked === undefined) return line
        told.push(line)
      }
    },
  }
}

export const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
}
