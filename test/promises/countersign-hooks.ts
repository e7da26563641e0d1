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
    says: 'File tools, also those of MCP servers, are denied writing to what decides about a coding agent, wherever it lies: policy files, `.countersign` folders, the installed package, and the settings that hold the hook. So is a shell line that names them plainly, also by quotes, links, `cd`, patterns, braces or variables of the same line. A line that computes the name, or starts a program that does, is not recognised: that is for the policy to ask about.',
  },
  'CS-HOOK-4': {
    area: 'hooks',
    says: 'Settings written by `init claude-code` fail closed and keep everything that was there; settings that would let calls through unasked are found.',
  },
  'CS-HOOK-5': {
    area: 'hooks',
    says: 'The policy of the project decides, wherever the agent works. Where another policy or governance applies as well, the strictest answer counts for each call; without a policy of the project no call runs.',
    headline: true,
  },
  'CS-HOOK-6': {
    area: 'hooks',
    says: 'With a running server the hook gets its answer there instead of opening the database. A server that does not prove that it wrote server.json, is of another version, or answers in no way the hook understands, lets nothing run.',
  },
})
