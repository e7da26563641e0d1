import type { Command } from 'commander'
import { type CodingAgent, HOOK_AGENTS } from '../../adapters/coding-agents/agent.ts'
import { codingAgent } from '../../adapters/coding-agents/agents.ts'
import { answerHook } from '../hook/answer-hook.ts'
import { DEFAULT_WAIT, type HookOptions } from '../hook/options.ts'
import type { Run } from '../shell.ts'
import { takesDatabase } from '../state/open-store.ts'

export function addHook(program: Command, run: Run): void {
  const hook = program
    .command('hook')
    .description('Answer the hooks of coding agents: people are asked before their tools run.')
    .helpCommand(false)
  for (const name of HOOK_AGENTS) addAgent(hook, codingAgent(name), run)
}

function addAgent(hook: Command, agent: CodingAgent, run: Run): void {
  const { name, title, projectVariable } = agent
  const besides = projectVariable === undefined ? '' : `, besides ${projectVariable}`
  takesDatabase(hook.command(name))
    .description(`Hook for ${title}: reads the tool call from stdin, asks, and prints the answer.`)
    .option('--wait <duration>', `how long ${title} is kept waiting`, DEFAULT_WAIT)
    .option('--project <folder>', `whose policy decides${besides}; a whole path`)
    .option('--after', 'the call is over: write down how it went')
    .option('--policy <file>', 'the policy file; else countersign.yaml of the project, or above it')
    .option('--governance <files...>', 'governance files; COUNTERSIGN_GOVERNANCE adds more')
    .addHelpText(
      'after',
      '\nExit codes: 0 with an answer on stdout, or without one when no approval is needed;\n' +
        '2 on any doubt, which blocks the call.\n' +
        `\nExample:\n  $ countersign init ${name}    writes the settings that call this`,
    )
    .action((options: HookOptions) => run((shell) => answerHook(agent, options, shell)))
}
