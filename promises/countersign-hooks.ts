import { from } from './promised.ts'

/** What our own design adds for coding agents that ask through a hook. */
export const COUNTERSIGN_HOOKS = from('Countersign', {
  'CS-HOOK-1': {
    area: 'hooks',
    says: 'A hook that is in any doubt, or fails in any way, blocks the call: it never ends with a code that lets it run.',
    headline: true,
  },
  'CS-HOOK-2': {
    area: 'hooks',
    says: 'What a person approved runs once, with the arguments as they were approved; how it went is on record.',
  },
  'CS-HOOK-3': {
    area: 'hooks',
    says: 'File tools are denied writing to what decides about a coding agent, and shell lines that name it plainly are denied; lines that compute the name are left to the policy.',
  },
  'CS-HOOK-4': {
    area: 'hooks',
    says: 'Settings written by `init claude-code` fail closed and keep everything that was there; settings that would let calls through unasked are found.',
  },
  'CS-HOOK-5': {
    area: 'hooks',
    says: 'The policy of the project decides wherever the agent works, and a further policy or governance counts where it is stricter; in a project without a policy no call runs.',
    headline: true,
  },
  'CS-HOOK-6': {
    area: 'hooks',
    says: 'A running server answers the hook, which then loads no package and opens no database; a program that does not prove to be that server is told nothing and lets nothing run.',
  },
  'CS-HOOK-7': {
    area: 'hooks',
    says: 'A hook or command asks the running server only where it serves the same database and the same tenant.',
  },
  'CS-HOOK-8': {
    area: 'hooks',
    says: 'Where several policies apply to a call of a coding agent, everything that each of them demands is demanded: people, their number, and the terms.',
  },
  'CS-HOOK-9': {
    area: 'hooks',
    says: 'Codex, Gemini CLI, Cursor, Copilot CLI and OpenCode ask as Claude Code does: the same rules, the same answers, and whatever their hook does not understand blocks the call.',
  },
  'CS-HOOK-10': {
    area: 'hooks',
    says: 'A coding agent that would not run the arguments as a person changed them does not run the call.',
  },
  'CS-HOOK-11': {
    area: 'hooks',
    says: 'What `init` writes for a coding agent blocks calls when Node or the package is gone, killed or answers nonsense; `doctor` finds settings that let calls through.',
  },
})
