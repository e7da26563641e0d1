import type { Command } from 'commander'
import { hookClaudeCode } from '../hook/claude-code.ts'
import { DEFAULT_WAIT, type HookOptions } from '../hook/options.ts'
import type { Run } from '../shell.ts'
import { takesDatabase } from '../state/open-store.ts'

export function addHook(program: Command, run: Run): void {
  const hook = program
    .command('hook')
    .description('Answer the hooks of coding agents: people are asked before their tools run.')
    .helpCommand(false)
  takesDatabase(hook.command('claude-code'))
    .description(
      'Hook for Claude Code: reads the tool call from stdin, asks, and prints the answer.',
    )
    .option('--wait <duration>', 'how long Claude Code is kept waiting', DEFAULT_WAIT)
    .option('--project <folder>', 'whose policy decides, besides CLAUDE_PROJECT_DIR; a whole path')
    .option('--policy <file>', 'the policy file; else countersign.yaml of the project, or above it')
    .option('--governance <files...>', 'governance files; COUNTERSIGN_GOVERNANCE adds more')
    .addHelpText(
      'after',
      '\nExit codes: 0 with an answer on stdout, or without one when no approval is needed;\n' +
        '2 on any doubt, which blocks the call.\n' +
        '\nExample:\n  $ countersign init claude-code    writes the settings that call this',
    )
    .action((options: HookOptions) => run((shell) => hookClaudeCode(options, shell)))
}
