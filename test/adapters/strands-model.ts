import {
  Agent,
  type AgentConfig,
  type Message,
  Model,
  type ModelStreamEvent,
} from '@strands-agents/sdk'
import type { ModelTurn, Turned } from '../../src/testing/adapter-harness.ts'

/** Says what it is told to, and remembers what it read. */
export class ScriptedModel extends Model {
  read: readonly Message[] = []
  readonly #turns: readonly ModelTurn[]
  #next = 0

  constructor(turns: readonly ModelTurn[]) {
    super()
    this.#turns = turns
  }

  updateConfig(): void {}

  getConfig(): { modelId: string } {
    return { modelId: 'scripted' }
  }

  async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    this.read = [...messages]
    const turn = this.#turns[this.#next] ?? { says: 'done' }
    this.#next += 1
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    if ('calls' in turn) {
      for (const { id, tool, args } of turn.calls) {
        const start = { type: 'toolUseStart', name: tool, toolUseId: id } as const
        const delta = { type: 'toolUseInputDelta', input: JSON.stringify(args) } as const
        yield { type: 'modelContentBlockStartEvent', start }
        yield { type: 'modelContentBlockDeltaEvent', delta }
        yield { type: 'modelContentBlockStopEvent' }
      }
    } else {
      yield { type: 'modelContentBlockStartEvent' }
      const delta = { type: 'textDelta', text: turn.says } as const
      yield { type: 'modelContentBlockDeltaEvent', delta }
      yield { type: 'modelContentBlockStopEvent' }
    }
    yield {
      type: 'modelMessageStopEvent',
      stopReason: 'calls' in turn ? 'toolUse' : 'endTurn',
    }
  }
}

/** What the model read for each call. */
export function toldBy({ read }: ScriptedModel): Turned['told'] {
  return read.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== 'toolResultBlock') return []
      const texts = block.content.map((one) => {
        if (one.type === 'textBlock') return one.text
        return one.type === 'jsonBlock' ? JSON.stringify(one.json) : ''
      })
      return [{ id: block.toolUseId, text: texts.join('\n') }]
    }),
  )
}

export function agentOf(model: Model, tools: AgentConfig['tools'], name = 'biller'): Agent {
  return new Agent({ name, model, printer: false, ...(tools ? { tools } : {}) })
}
