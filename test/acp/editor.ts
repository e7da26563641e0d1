import { spawn } from 'node:child_process'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk'
import { expect, onTestFinished, vi } from 'vitest'
import { BIN, cleanEnv } from '../cli/countersign.ts'
import type { Place } from '../mcp/gateway.ts'

const AGENT = path.resolve(import.meta.dirname, 'scripted-agent.ts')

/** What a person at the editor picks: the kind of an option, or nothing. */
type Pick = (question: RequestPermissionRequest) => string | undefined

export interface EditorOptions {
  readonly pick?: Pick
  /** How long the person reads. */
  readonly reads?: number
  readonly args?: readonly string[]
}

/** `countersign acp` between an editor of the official SDK and the scripted agent. */
export async function editor({ cwd }: Place, options: EditorOptions = {}) {
  const { pick = () => undefined, reads = 900, args = [] } = options
  const child = spawn(process.execPath, [BIN, 'acp', ...args, '--', process.execPath, AGENT], {
    cwd,
    env: { ...cleanEnv(), HOME: cwd },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const questions: RequestPermissionRequest[] = []
  const written: { path: string; content: string }[] = []
  const commands: string[] = []
  const said: string[] = []
  const connection = client({ name: 'an-editor' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      questions.push(params)
      await pause(reads)
      const kind = pick(params)
      const option = params.options.find((one) => one.kind === kind)
      return {
        outcome: option
          ? { outcome: 'selected', optionId: option.optionId }
          : { outcome: 'cancelled' },
      }
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      written.push({ path: params.path, content: params.content })
      return {}
    })
    .onRequest(methods.client.fs.readTextFile, () => ({ content: 'as it was' }))
    .onRequest(methods.client.terminal.create, ({ params }) => {
      commands.push([params.command, ...(params.args ?? [])].join(' '))
      return { terminalId: 't1' }
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      const { update } = params
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') {
        said.push(update.content.text)
      }
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    )
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.stdin.end()
    if (child.exitCode === null) await gone
  })
  await connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  })
  const { sessionId } = await connection.agent.request(methods.agent.session.new, {
    cwd,
    mcpServers: [],
  })
  return {
    questions,
    written,
    commands,
    said,
    stderr: () => stderr,
    /** Has the agent make these requests, and gives what it got for them. */
    async prompt(...steps: readonly (readonly [string, object])[]) {
      const before = said.length
      const prompt = [{ type: 'text' as const, text: JSON.stringify(steps) }]
      await connection.agent.request(methods.agent.session.prompt, { sessionId, prompt })
      const got = () =>
        said.slice(before).flatMap((text) => (text.startsWith('{') ? [JSON.parse(text)] : []))
      const requests = steps.filter(([method]) => method !== 'session/update')
      // What an agent tells may be heard after its answer.
      await vi.waitFor(() => expect(got()).toHaveLength(requests.length))
      return got()
    },
    cancel: () => connection.agent.notify(methods.agent.session.cancel, { sessionId }),
  }
}
