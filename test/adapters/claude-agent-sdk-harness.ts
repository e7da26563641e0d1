import type { SessionAsking } from '../../src/adapters/claude-agent-sdk/guard-hooks.ts'
import { guardOptions } from '../../src/adapters/claude-agent-sdk/guard-options.ts'
import type { Hooks } from '../../src/adapters/claude-agent-sdk/sdk-types.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { ToolGate } from '../../src/gate/tool-gate.ts'
import type {
  AdapterHarness,
  AgentSetup,
  ModelCall,
  Turned,
} from '../../src/testing/adapter-harness.ts'
import { RECORDED } from './claude-hook-inputs.ts'

interface Said {
  readonly permissionDecision?: 'allow' | 'deny' | 'defer'
  readonly permissionDecisionReason?: string
  readonly updatedInput?: JsonObject
  readonly additionalContext?: string
}

/** The hooks of one session, called with what Claude Code calls them with. */
export function session(gate: ToolGate, asking: SessionAsking = {}, options: object = {}) {
  const { hooks } = guardOptions(gate, options, asking) as { readonly hooks: Hooks }
  return {
    hooks,
    /** Every hook for this event, side by side; the strictest answer wins. */
    async tell(input: JsonObject | object, signal = new AbortController().signal): Promise<Said> {
      const told = input as { hook_event_name: string; tool_use_id?: string }
      const callbacks = (hooks[told.hook_event_name] ?? []).flatMap((matcher) => matcher.hooks)
      const answers = await Promise.all(
        callbacks.map((hook) =>
          hook(structuredClone(input) as never, told.tool_use_id, { signal }),
        ),
      )
      const said = answers.map(
        (answer) => (answer as { hookSpecificOutput?: Said }).hookSpecificOutput ?? {},
      )
      const no = said.find(({ permissionDecision }) => permissionDecision === 'deny')
      return no ?? Object.assign({}, ...said)
    },
  }
}

/**
 * Claude Code itself is a large program that is not free software: what it does around the hooks is
 * done here as it was seen to do it, and `npm run proof claude` runs the real one.
 */
export const claudeAgentSdkHarness: AdapterHarness = {
  name: 'Claude Agent SDK 0.3',
  note: 'The cases call its hooks as they were recorded, and `npm run proof claude` runs the real program. One call of a turn can be deferred, and then resumes in another process.',
  supports: {
    suspend: false,
    elsewhere: false,
    nestedPause: false,
    inBand: false,
    partial: true,
    ordered: true,
  },
  tries: {
    anyName: true,
    guardsAgain: 'Hooks are made for one session each, and tools are not wrapped.',
    native:
      'Claude Code asks by its own permissions, beside the hooks; neither replaces the other.',
    nativeByUser: 'An application’s `canUseTool` is asked by Claude Code itself, beside the hooks.',
    handsOver: true,
  },
  isOwnProgram: true,
  agent({ gate, run, mode, tools, turns, nestedAs }: AgentSetup) {
    const { tell } = session(gate, { run, mode })
    const inside = nestedAs === undefined ? {} : { agent_id: 'a1', agent_type: nestedAs }

    async function one({ id, tool, args }: ModelCall, signal: AbortSignal | undefined) {
      const about = { tool_name: tool, tool_input: args, tool_use_id: id, ...inside }
      const before = await tell({ ...RECORDED.before, ...about }, signal)
      if (before.permissionDecision === 'deny') {
        // Claude Code puts `PreToolUse:pay hook error: ` before it.
        return { id, text: before.permissionDecisionReason ?? '' }
      }
      if (signal?.aborted) return { id, text: 'interrupted' }
      const given = before.updatedInput ?? args
      let text: string
      try {
        text = JSON.stringify(await tools[tool]?.run(given))
      } catch (error) {
        const { message } = error as Error
        await tell({ ...RECORDED.failed, ...about, tool_input: given, error: message })
        return { id, text: message }
      }
      const ended = { tool_input: given, tool_response: [{ type: 'text', text }] }
      const after = await tell({ ...RECORDED.after, ...about, ...ended })
      return { id, text: [text, after.additionalContext ?? ''].join('\n').trim() }
    }

    async function start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Turned> {
      const told: Turned['told'][number][] = []
      if (nestedAs !== undefined) {
        const tool_input = { ...RECORDED.delegating.tool_input, subagent_type: nestedAs }
        await tell({ ...RECORDED.delegating, tool_input })
      }
      for (const turn of turns) {
        if (!('calls' in turn)) continue
        // At once, as Claude Code does with tools that say they only read; others wait in line.
        told.push(...(await Promise.all(turn.calls.map((call) => one(call, signal)))))
        await tell({ ...RECORDED.batch, ...inside })
      }
      await tell(RECORDED.stop)
      return { status: 'done', told }
    }

    return {
      start,
      resume: start,
      state() {
        throw new Error('a session has no state outside of Claude Code')
      },
    }
  },
  handOver({ gate, run, mode, ids }) {
    const { tell } = session(gate, { run, mode })
    const taken: string[] = []
    const work = (prompt: string): JsonObject => {
      return { description: 'pay bob', prompt, subagent_type: 'deputy' }
    }

    async function start(): Promise<Turned> {
      const told: Turned['told'][number][] = []
      for (const id of ids) {
        const about = { tool_name: 'Agent', tool_input: work('pay bob 5'), tool_use_id: id }
        const before = await tell({ ...RECORDED.delegating, ...about })
        if (before.permissionDecision === 'deny') {
          told.push({ id, text: before.permissionDecisionReason ?? '' })
          continue
        }
        const given = before.updatedInput ?? about.tool_input
        taken.push(String(given.prompt))
        const ended = { tool_input: given, tool_response: [{ type: 'text', text: 'taken' }] }
        await tell({ ...RECORDED.after, ...about, ...ended })
        told.push({ id, text: 'taken' })
      }
      return { status: 'done', told }
    }

    return {
      agent: { start, resume: start, state: () => '' },
      waits: 'block',
      taken,
      edit: { args: work('pay bob 7'), takes: 'pay bob 7' },
    }
  },
}
