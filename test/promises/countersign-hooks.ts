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
    says: 'A coding agent is not let near what decides about it: the state and policy of Countersign, its commands, and the settings that hold the hook.',
  },
  'CS-HOOK-4': {
    area: 'hooks',
    says: 'Settings written by `init claude-code` fail closed and keep everything that was there; settings that would let calls through unasked are found.',
  },
})
