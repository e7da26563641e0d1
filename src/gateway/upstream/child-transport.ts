import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { CountersignError } from '../../base/errors.ts'
import type { Line } from '../../base/lines.ts'
import { linePipe } from '../protocol/line-pipe.ts'
import { answeredBy, NoAnswer, parseWritten, readMessage } from '../protocol/message.ts'
import { LONGEST_MESSAGE, type Transport, type TransportEvents } from '../protocol/transport.ts'
import { spawnable } from './child-command.ts'
import type { StdioSpec } from './upstream-spec.ts'

const NO_ANSWER = 'answered with something that is no answer'
const MOST_NOISE = 1_000
const GRACE_MS = 2_000

/** A server as a process of its own. Its stderr is ours. */
export function startChild(spec: StdioSpec, events: TransportEvents): Transport {
  const { alias, command, args, cwd, env } = spec
  const { platform } = process
  const start = spawnable(command, args, { platform, env, exists: existsSync })
  const child = spawn(start.command, [...start.args], {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of its own: npx and shells start further processes, and all of them must end.
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: start.isVerbatim,
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  let closed = false
  let noise = 0
  const decoder = new TextDecoder()

  function close(why: string): void {
    if (closed) return
    closed = true
    events.onClose(new CountersignError('server_unreachable', `server ${alias} ${why}`))
  }

  function onLine(line: Line): void {
    if (closed || line?.length === 0) return
    if (line === undefined) {
      close(`sent more than ${LONGEST_MESSAGE} bytes at once`)
      void stop()
      return
    }
    let value: unknown
    try {
      value = parseWritten(decoder.decode(line))
      events.onMessage(readMessage(value))
    } catch {
      const id = answeredBy(value)
      // The caller would wait in vain: no other answer will come.
      if (id !== undefined) events.onLost(id, new NoAnswer(`server ${alias} ${NO_ANSWER}`, true))
      if (noise === 0) events.onNoise('wrote something to stdout that is no message')
      if (++noise < MOST_NOISE) return
      close('writes anything but messages')
      void stop()
    }
  }

  async function stop(): Promise<void> {
    child.stdin.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await within(ended, GRACE_MS)) break
      kill(signal)
    }
    // Those it started may have outlived it.
    kill('SIGKILL')
  }

  function kill(signal: NodeJS.Signals): void {
    if (child.pid === undefined) return
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal)
    } catch {
      // No process of the group is left.
    }
  }

  child.on('error', ({ message }) => close(`could not be started: ${message}`))
  child.on('exit', (code, signal) => close(`ended (${signal ?? `exit code ${code}`})`))
  const pipe = linePipe(child.stdout, child.stdin, {
    longest: LONGEST_MESSAGE,
    onLine,
    onEnd: () => close('closed its output'),
  })
  return {
    send: pipe.send,
    agreed: () => {},
    close() {
      closed = true
      return stop()
    },
  }
}

async function within(ended: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([ended.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
