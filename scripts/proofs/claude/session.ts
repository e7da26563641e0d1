import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SessionAsking } from '../../../src/adapters/claude-agent-sdk/guard-hooks.ts'
import { guardQuery } from '../../../src/adapters/claude-agent-sdk/guard-query.ts'
import type { Approval } from '../../../src/approval/approval.ts'
import { createGate, type Gate } from '../../../src/gate/gate.ts'
import { parsePolicy } from '../../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../../src/store/memory/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { kim } from '../../../src/testing/adapter-play.ts'
import type { Installed, SdkMessage } from './install.ts'
import { environment, type Place } from './place.ts'
import { until } from './prove.ts'
import { type ScriptedModel, scriptedModel, type ToolUse, type Turn } from './scripted-model.ts'

const POLICY = `version: 1
tools:
  Bash: { approval: { edit: true } }
local_agents:
  - { alias: payer, approval: true }
mcp_servers:
  - alias: bank
    command: bank
    allowed_tools: [{ name: pay, approval: { edit: true } }, { name: look, approval: { edit: true } }, { name: read, approval: false }]
`

export function gateOn(store: Store = memoryStore()): Gate {
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  return createGate({ policy, store, agent: 'biller' })
}

export function call(id: string, amount: number, tool = 'pay'): ToolUse {
  return { id, name: `mcp__bank__${tool}`, input: { amount } }
}

/** The question about this call, once it is asked. */
export function question(gate: Gate, key: string): Promise<Approval> {
  return until(async () => {
    const { approvals } = await gate.approvals.list({})
    return approvals.find(({ call }) => call.key === key)
  })
}

export async function say(
  gate: Gate,
  key: string,
  verdict: 'approve' | 'deny',
  more: object = {},
): Promise<void> {
  const { id, digest } = await question(gate, key)
  await gate.approvals.decide(id, { by: kim, verdict, seen: digest, ...more })
}

export interface Session {
  readonly installed: Installed
  readonly place: Place
  readonly gate: Gate
  readonly turns: readonly Turn[]
  readonly asking?: SessionAsking
  readonly options?: object
  readonly prompt?: string
  /** What the tools really ran with. */
  readonly ran?: number[]
  /** Claude Code dies at the moment when it is let run a call, and never hears of that. */
  readonly diesWhenAllowed?: true
}

export interface Ended {
  readonly messages: readonly SdkMessage[]
  readonly model: ScriptedModel
  readonly ran: readonly number[]
  readonly error: unknown
}

export interface Going {
  /** The process of Claude Code. */
  readonly claude: () => ChildProcess
  readonly ended: Promise<Ended>
}

/** A session of the real SDK with the real Claude Code behind it, and tools that write down what they do. */
export async function start(session: Session): Promise<Going> {
  const { installed, place, gate, turns, asking, options, prompt = 'go', ran = [] } = session
  const { sdk, folder } = installed
  const model = await scriptedModel(turns)
  const zod = path.join(folder, 'node_modules', 'zod', 'index.js')
  const { z } = (await import(pathToFileURL(zod).href)) as { z: { number(): unknown } }
  const tool = (name: string, extras?: object) =>
    sdk.tool(
      name,
      name,
      { amount: z.number() },
      async ({ amount }: { amount: number }) => {
        ran.push(amount)
        if (amount === 13) throw new Error('the bank is closed')
        if (amount === 99) await new Promise(() => {})
        return { content: [{ type: 'text', text: `${name} did ${amount}` }] }
      },
      extras,
    )
  const looking = { annotations: { readOnlyHint: true } }
  const tools = [tool('pay'), tool('look', looking), tool('read', looking)]
  let claude: ChildProcess | undefined
  const messages: SdkMessage[] = []
  const ask = guardQuery(gate, sdk.query, asking)

  async function run(): Promise<Ended> {
    let error: unknown
    try {
      const query = ask({
        prompt,
        options: {
          env: environment(place, model.url),
          cwd: place.project,
          settingSources: [],
          model: 'claude-sonnet-4-5',
          maxTurns: 8,
          mcpServers: { bank: sdk.createSdkMcpServer({ name: 'bank', version: '1', tools }) },
          allowedTools: ['mcp__bank__pay', 'mcp__bank__look', 'mcp__bank__read'],
          spawnClaudeCodeProcess(wanted: SpawnOptions) {
            const { command, args, cwd, env, signal } = wanted
            const stdio = ['pipe', 'pipe', 'ignore'] as const
            claude = spawn(command, args, {
              ...(cwd ? { cwd } : {}),
              env,
              signal,
              stdio: [...stdio],
            })
            if (session.diesWhenAllowed) dieWhenAllowed(claude)
            return claude
          },
          ...options,
        },
      })
      for await (const message of query) messages.push(message)
    } catch (trouble) {
      error = trouble
    } finally {
      await model.close()
    }
    return { messages, model, ran, error }
  }

  const ended = run()
  return {
    ended,
    claude() {
      if (!claude) throw new Error('Claude Code was not started')
      return claude
    },
  }
}

function dieWhenAllowed(claude: ChildProcess): void {
  const { stdin } = claude
  const write = stdin?.write.bind(stdin) as (chunk: unknown, ...rest: unknown[]) => boolean
  Object.assign(stdin as object, {
    write(chunk: unknown, ...rest: unknown[]) {
      if (!String(chunk).includes('"permissionDecision":"allow"')) return write(chunk, ...rest)
      return claude.kill('SIGKILL')
    },
  })
}

interface SpawnOptions {
  readonly command: string
  readonly args: string[]
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}
