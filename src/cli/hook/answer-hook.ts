import { answerOf, denied } from '../../adapters/claude-code/hook-output.ts'
import { touchesOwnFiles } from '../../adapters/claude-code/own-files.ts'
import type { CodingAgent } from '../../adapters/coding-agents/agent.ts'
import { sentence } from '../../gate/sentences.ts'
import { reportFailure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { askServer } from './ask-server.ts'
import { type HookOptions, readWait } from './options.ts'
import { prepare } from './prepare.ts'
import { readStdin } from './read-stdin.ts'

/** Blocks the call, for every agent whose hook is a command, as long as stderr says why. */
const BLOCK = 2

/** Whatever goes wrong, the answer is 2: any other code would let the call run. */
export async function answerHook(
  agent: CodingAgent,
  options: HookOptions,
  shell: Shell,
): Promise<number> {
  try {
    const printed = agent.print(answerOf(await answer(agent, options, shell)))
    if (printed !== undefined) await shell.out.write(`${JSON.stringify(printed)}\n`)
    return 0
  } catch (error) {
    reportFailure(error, shell.err)
    return BLOCK
  }
}

async function answer(agent: CodingAgent, options: HookOptions, shell: Shell) {
  const waitFor = readWait(options)
  const prepared = prepare(agent, await readStdin(shell.stdin, agent), options, shell)
  const { input, own } = prepared
  if (input.event === 'PreToolUse') {
    const why = touchesOwnFiles(input, own)
    if (why !== undefined) return denied(sentence('policy', { tool: input.tool, reason: why }))
  }
  const asked = await askServer(prepared, waitFor, shell)
  if ('output' in asked) return asked.output
  const { decideHere } = await import('./decide-here.ts')
  return decideHere(prepared, options, shell, { for: asked.left, waited: asked.waited })
}
