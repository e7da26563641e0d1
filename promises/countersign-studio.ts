import { from } from './promised.ts'

/** Tools that people write in the inbox, and the sandbox they run in. */
export const COUNTERSIGN_STUDIO = from('Countersign', {
  'CS-STUDIO-1': {
    area: 'studio',
    says: 'A tool of the studio runs in an interpreter inside a process of its own, started for the call and killed after it: no files, no environment, no modules, no network of its own.',
  },
  'CS-STUDIO-2': {
    area: 'studio',
    says: 'A loop, a chain of promises without end, too much memory, too deep recursion, too large a result or a promise that never settles ends that call with an error that says so, and nothing else.',
  },
  'CS-STUDIO-3': {
    area: 'studio',
    says: 'A tool reaches the hosts it names and no others, redirects included, changes things there only with the capability to write, and every address is checked as for webhooks. A refusal names the capability.',
  },
  'CS-STUDIO-4': {
    area: 'studio',
    says: 'The value of a secret never enters the sandbox: it is put into requests to the hosts it was given for, taken out of answers, results, logs and errors, and never shown again.',
  },
  'CS-STUDIO-5': {
    area: 'studio',
    says: 'The parent believes nothing that a sandbox says: messages are bounded and checked, and capabilities are checked where the request is made.',
  },
  'CS-STUDIO-6': {
    area: 'studio',
    says: 'A tool is published only when its stored test passes, and only what is published can be called. Publishing, unpublishing and asking less are on record with the person who did it.',
  },
  'CS-STUDIO-7': {
    area: 'studio',
    says: 'Another version is another definition: approvals of the version before are invalidated, and a call judged by what is out of date does not run.',
  },
  'CS-STUDIO-8': {
    area: 'studio',
    says: 'The risk of a tool is computed from its capabilities; its author can raise it and not lower it. Asking less than by default needs a confirmation.',
  },
  'CS-STUDIO-9': {
    area: 'studio',
    says: 'Only admins and authors read or change tools of the studio; every other role, and every agent, is refused.',
  },
  'CS-STUDIO-10': {
    area: 'studio',
    says: 'In the inbox, a person writes a tool, runs the draft, publishes it and sees what changed between versions.',
  },
  'CS-STUDIO-11': {
    area: 'studio',
    says: 'Tools of the studio can be written to files and read from them as drafts; secrets are never in a file.',
  },
  'CS-ADD-1': {
    area: 'servers',
    says: 'An admin tests a server by its address, chooses its tools and ticks approval; the result is lines for the policy file, and nothing is in force before the file is applied.',
  },
})
