import { from } from './promised.ts'

/** What operators can rely on when they look after the servers behind the gate. */
export const COUNTERSIGN_SERVERS = from('Countersign', {
  'CS-SWITCH-1': {
    area: 'servers',
    says: 'Switching a tool on asks people from the next call on, in every process on the database and after a restart.',
  },
  'CS-SWITCH-2': {
    area: 'servers',
    says: 'A switch that would ask people less, or ask for less, is set only with an explicit confirmation that this is meant.',
  },
  'CS-SWITCH-3': {
    area: 'servers',
    says: 'Only admins switch; each switch is in the audit with what the answer was before and is after.',
  },
  'CS-SWITCH-4': {
    area: 'servers',
    says: 'What a policy file decides cannot be switched, and the refusal names the line.',
  },
  'CS-SWITCH-5': {
    area: 'servers',
    says: 'A client that answers `allow` by itself knows of a switch within a second, and asks before it goes on.',
  },
  'CS-SWITCH-6': {
    area: 'servers',
    says: 'In a database that was copied or restored nothing is switched off until an admin switches it off again; what is switched on stays on.',
  },
  'CS-SERVERS-1': {
    area: 'servers',
    says: 'People see every server and tool, whether it can be reached, its risk and why, and which line, switch or default answers for it.',
  },
  'CS-SERVERS-2': {
    area: 'servers',
    says: 'A tool that changed is shown with what it said before and says now, and an admin accepts exactly that, on record.',
  },
  'CS-TRY-1': {
    area: 'servers',
    says: 'A tool tried in the inbox goes through the gate as a client’s call does, acts for the signed-in user, and asks what a client would ask.',
  },
  'CS-TRY-2': {
    area: 'servers',
    says: 'A user who tries a tool can confirm for themselves, and never gives the approval that others must give.',
  },
  'CS-TOOLS-1': {
    area: 'inbox',
    says: 'The page of tools switches asking on at once and off in two steps, and shows what a file decides as locked, with its line.',
  },
  'CS-TOOLS-2': {
    area: 'inbox',
    says: 'As long as a tool is held back, every page says so; its change is shown whole before it can be accepted.',
  },
  'CS-TOOLS-3': {
    area: 'inbox',
    says: 'The page of tools names whatever lets calls run without asking, with what to do about it, and what cannot be seen from there.',
  },
  'CS-TOOLS-4': {
    area: 'inbox',
    says: 'Each tool shows the doors it was seen at and how often people were asked in 30 days; the count opens no approval, however many there are.',
  },
  'CS-TOOLS-5': {
    area: 'inbox',
    says: 'The page of the policy lists what admins switched beside the files: who, when, what it changed, and where to take it back.',
  },
  'CS-STUDIO-1': {
    area: 'studio',
    says: 'A tool of the studio runs in an interpreter in a process of its own, killed after the call; no file, variable, module or network of the server can be reached from it.',
  },
  'CS-STUDIO-2': {
    area: 'studio',
    says: 'A loop, too much memory, too deep recursion, too large a result or a promise that never settles ends that call, and only that call, with an error that says so.',
  },
  'CS-STUDIO-3': {
    area: 'studio',
    says: 'A tool reaches the hosts it names and no others, redirects included, and changes things there only if it may write; a refusal names the capability that is missing.',
  },
  'CS-STUDIO-4': {
    area: 'studio',
    says: 'The value of a secret never enters the sandbox; it goes to the hosts it was entered for, where the tool itself put it, and is taken out of answers, results, logs and errors.',
  },
  'CS-STUDIO-5': {
    area: 'studio',
    says: 'Whatever a sandbox sends is bounded and checked, and text that looks like one of its messages is only text.',
  },
  'CS-STUDIO-6': {
    area: 'studio',
    says: 'A tool is published only if its stored test passes, and no draft can be called; who published, unpublished, asked less or ran a draft that reaches hosts is on record.',
  },
  'CS-STUDIO-7': {
    area: 'studio',
    says: 'Another version is another definition; questions about the version before are invalidated.',
  },
  'CS-STUDIO-8': {
    area: 'studio',
    says: 'The risk of a tool is computed from its capabilities and can be raised, not lowered; asking less than by default needs a confirmation.',
  },
  'CS-STUDIO-9': {
    area: 'studio',
    says: 'Only admins and authors read or change tools of the studio; every other role, and every agent, is refused.',
  },
  'CS-STUDIO-10': {
    area: 'studio',
    says: 'In the inbox a person writes a tool, runs the draft, publishes it and sees what changed between versions.',
  },
  'CS-STUDIO-11': {
    area: 'studio',
    says: 'Tools of the studio can be written to files and read from them as drafts; secrets are never in a file.',
  },
  'CS-STUDIO-12': {
    area: 'studio',
    says: 'A policy file can ask more about a tool of the studio than its author does, and never less; a question of one tool that cannot be read keeps no other tool from running.',
  },
  'CS-STUDIO-13': {
    area: 'studio',
    says: 'A tool of the studio that is called in the chat is asked about once and runs once; a yes to one version runs no other.',
  },
  'CS-STUDIO-14': {
    area: 'studio',
    says: 'Drafts, versions, secrets and values that tools keep are the same on every store; what is published on one server is served by every server on that database.',
  },
  'CS-STUDIO-15': {
    area: 'studio',
    says: 'An admin switches asking on for a tool that its author leaves unasked, at /mcp, in the chat and for trying it alike; what the author wants asked cannot be switched off.',
  },
  'CS-STUDIO-16': {
    area: 'studio',
    says: '`countersign doctor` runs the stored tests of published tools again and names those that no longer pass; what may change things elsewhere runs only when asked for.',
  },
  'CS-STUDIO-17': {
    area: 'studio',
    says: 'A tool is written in a text field with colours, line numbers, indentation and bracket pairs; the line where a run failed is marked, and the keyboard can leave it.',
  },
  'CS-ADD-1': {
    area: 'servers',
    says: 'An admin tests a server and chooses tools and approvals; the result is lines in the policy file, and nothing is in force before an admin applies it.',
  },
  'CS-ADD-2': {
    area: 'servers',
    says: 'A server added in the inbox changes nothing else in the policy file; a command needs the operator’s leave and its exact words confirmed, and is ended after a test.',
  },
  'CS-SIGNIN-1': {
    area: 'servers',
    says: 'An admin signs Countersign in at an MCP server whose users sign in by OAuth, in the browser and on record; its tools are there from then on.',
  },
  'CS-SIGNIN-2': {
    area: 'servers',
    says: 'Tokens of a server are sealed where they are kept, are sent to that address alone, and stand in no result, log, audit or export.',
  },
  'CS-SIGNIN-3': {
    area: 'servers',
    says: 'A token is renewed before it ends or when it was refused, once for all processes on a database; a call that was refused is not sent again.',
  },
  'CS-SIGNIN-4': {
    area: 'servers',
    says: 'A sign-in that ended or was taken back lets nothing through, and agents, admins and `countersign_status` read what to do.',
  },
  'CS-SIGNIN-5': {
    area: 'servers',
    says: 'A server that asks for more scopes gets them when an admin signs in again, who sees which; nothing is widened by itself.',
  },
  'CS-SIGNIN-6': {
    area: 'servers',
    says: 'After signing out no process on the database sends the token, and the authorization server was told.',
  },
  'CS-SIGNIN-7': {
    area: 'servers',
    says: 'Forged, replayed, late and mixed-up answers, other servers’ descriptions, and addresses of private networks end a sign-in before anything is kept.',
  },
  'CS-SIGNIN-8': {
    area: 'servers',
    says: 'A client that a person made at an authorization server is used there and nowhere else; its secret is sealed.',
  },
  'CS-SIGNIN-9': {
    area: 'servers',
    says: '`countersign mcp login` and `logout` do the same from a terminal; who signs in sees the host and the scopes before the browser goes there.',
  },
})
