import { generateText, isStepCount, jsonSchema, type ModelMessage, tool } from 'ai'
import { guardTools } from '../../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../../src/adapters/ai-sdk/resume-turn.ts'
import { createGate } from '../../../src/gate/gate.ts'
import { parsePolicy } from '../../../src/policy/load/parse-policy.ts'
import { smallStore } from '../../gate/workerd/small-store.ts'

type Model = Exclude<Parameters<typeof generateText>[0]['model'], string>

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Calls the tool once, then repeats what it was told. */
function modelThat(calls: boolean, read: (prompt: string) => void): Model {
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate({ prompt }: { prompt: unknown }) {
      read(JSON.stringify(prompt))
      const finish = calls ? 'tool-calls' : 'stop'
      return {
        content: calls
          ? [{ type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{"amount":5}' }]
          : [{ type: 'text', text: 'ok' }],
        finishReason: { unified: finish, raw: finish },
        usage: USAGE,
        warnings: [],
      }
    },
    doStream: () => Promise.reject(new Error('nothing streams here')),
  } as unknown as Model
}

/** A call that pauses, a yes, and the call that runs: the same on every runtime. */
export async function story(): Promise<readonly unknown[]> {
  const text = 'version: 1\ntools: { pay: { approval: true } }\n'
  const gate = createGate({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
    store: keyed(smallStore()),
    agent: 'biller',
  })
  const ran: unknown[] = []
  const tools = guardTools(
    gate,
    {
      pay: tool({
        inputSchema: jsonSchema<{ amount: number }>({ type: 'object' }),
        execute: async ({ amount }) => {
          ran.push(amount)
          return `paid ${amount}`
        },
      }),
    },
    { run: 'chat-1' },
  )
  let read = ''
  const keep = (prompt: string) => {
    read = prompt
  }
  const messages: ModelMessage[] = [{ role: 'user', content: 'go' }]
  const first = await generateText({ model: modelThat(true, keep), tools, messages })
  messages.push(...first.responseMessages)
  const early = await resumeTurn(tools, messages)
  const [asked] = (await gate.approvals.list({ status: ['pending'] })).approvals
  if (!asked) throw new Error('nobody was asked')
  const by = {
    issuer: 'https://id.example.com',
    subject: 'kim',
    groups: [],
    roles: ['approver'],
    assurance: 'signed-in',
  } as const
  await gate.approvals.decide(asked.id, { by, verdict: 'approve', seen: asked.digest })
  const ready = await resumeTurn(tools, messages)
  if (ready.status !== 'ready') throw new Error('still waiting')
  const model = modelThat(false, keep)
  await generateText({ model, tools, messages: ready.messages, stopWhen: isStepCount(2) })
  return [early.status, ran, read.includes('paid 5')]
}

/** The small store, with the look-up by key that pausing needs. */
function keyed(store: ReturnType<typeof smallStore>): ReturnType<typeof smallStore> {
  return {
    ...store,
    async find({ run, key }) {
      const { approvals } = await store.list({}, {})
      return approvals.find(({ call }) => call.run === run && call.key === key)
    },
    async apply(id, command) {
      if (command.type !== 'request') return store.apply(id, command)
      const known = await this.find({
        agent: command.call.agent,
        run: command.call.run ?? '',
        key: command.call.key ?? '',
      })
      return known ? { approval: known, joined: true, events: [] } : store.apply(id, command)
    },
  }
}
