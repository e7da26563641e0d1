import { from } from './promised.ts'

/** What the server adds: who is let in, and what people who run it can rely on. */
export const COUNTERSIGN_SERVER = from('Countersign', {
  'CS-SIGN-1': {
    area: 'server',
    says: 'A person who signs in with an OpenID Connect provider is (issuer, subject), with roles and groups from its claims.',
  },
  'CS-SIGN-2': {
    area: 'server',
    says: 'An e-mail address makes a person eligible to decide only when the issuer says that it verified the address.',
  },
  'CS-SIGN-3': {
    area: 'server',
    says: 'Signing in is not enough: a user without a role from a group, an admin or the policy sees nothing.',
  },
  'CS-SIGN-4': {
    area: 'server',
    says: 'The answer of a provider signs in the browser that asked for it, once, and is refused when state, nonce, issuer, code or signature are not its own.',
  },
  'CS-SIGN-5': {
    area: 'server',
    says: 'No GET, HEAD or OPTIONS request changes anything, regardless of the sender.',
  },
  'CS-SIGN-6': {
    area: 'server',
    says: 'A session cookie alone shows and decides nothing: the page that signed in holds a key that no browser sends by itself.',
  },
  'CS-AGENT-1': {
    area: 'questions',
    says: 'What a remote agent says of its call never replaces the question of the policy: it is quoted as the agent’s words, after the tool and its arguments.',
  },
  'CS-AGENT-2': {
    area: 'server',
    says: 'Agents and people who are not admins get the rules of the policy, and never the addresses, commands, headers and variables by which its servers are reached.',
  },
  'CS-AGENT-3': {
    area: 'server',
    says: 'Over HTTP an agent works for a person only as its token says: one bound to that person, or one that an admin lets vouch for its users.',
  },
  'CS-AGENT-4': {
    area: 'server',
    says: 'A token reaches the calls of its agent for its own person, and no others.',
  },
  'CS-AGENT-5': {
    area: 'server',
    says: 'An application whose token vouches for its users records what they confirm in its chat; it counts for that user’s own call and for `confirm` alone, and names the token.',
  },
  'CS-AGENT-6': {
    area: 'server',
    says: 'A token that vouches for its users reaches no call of a token that is bound to a person or to none, and the other way round.',
  },
  'CS-MOUNT-1': {
    area: 'server',
    says: 'Mounted below a path in Hono, Express, Next or a Worker, signing in, deciding, events and agents work there; two mounts on one origin keep apart.',
  },
  'CS-MOUNT-2': {
    area: 'server',
    says: 'A mounted server refuses unknown, missing and contradictory options with what to write instead.',
  },
  'CS-MOUNT-3': {
    area: 'server',
    says: 'A program that starts with another policy than was last applied on its store goes by the applied one, and says so.',
  },
  'CS-MOUNT-4': {
    area: 'server',
    says: 'A request that comes without a socket never counts as one of this machine, and shares one rate limit unless the program tells addresses apart.',
  },
  'CS-SERVE-1': {
    area: 'server',
    says: 'A policy file that was changed is not in force until an admin applies exactly what they looked at; a broken one changes nothing.',
    headline: true,
  },
  'CS-SERVE-11': {
    area: 'server',
    says: 'A policy that was changed in the database, its text and its digest together, is not in force: the server does not start, and one that runs lets nothing pass by it.',
  },
  'CS-SERVE-2': {
    area: 'server',
    says: 'A server that is told to stop takes no more requests, answers those it has, closes its streams and exits with 0.',
  },
  'CS-SERVE-3': {
    area: 'server',
    says: 'Failed sign-ins are limited by address and requests of agents by token, and the answer says how long to wait.',
  },
  'CS-SERVE-4': {
    area: 'server',
    says: 'The record can be read page by page over HTTP by viewers and admins, and holds no arguments.',
  },
  'CS-SERVE-5': {
    area: 'server',
    says: '`countersign doctor` says of each thing that is wrong what to do, fails when something must be mended, and names its own limits.',
  },
  'CS-SERVE-6': {
    area: 'server',
    says: 'A session that ended, a removed person, a revoked token and another tenant’s user count as unauthenticated; a locked person can look and sign out, and changes nothing.',
  },
  'CS-SERVE-7': {
    area: 'server',
    says: 'Servers on one Postgres behave as one: waiting, watching, signing in, locking and revoking work the same at all of them, and when one is killed the others go on.',
  },
  'CS-SERVE-8': {
    area: 'server',
    says: 'A restart of the server refuses no waiting call: callers keep waiting, ask again at a moderate rate, and the call runs once when it is approved.',
  },
  'CS-SERVE-9': {
    area: 'server',
    says: 'What is pending, approved, running or of unknown outcome keeps its arguments and reasons, `retain` counts from its end, and a call whose content was erased cannot be approved.',
  },
  'CS-SERVE-10': {
    area: 'server',
    says: '`/readyz` says yes only while the database takes writes and is the one that was opened.',
  },
  'CS-WATCH-1': {
    area: 'server',
    says: '`/metrics` counts what was asked, decided, let through, denied and refused, and how long people and requests took; servers on one database count each event once.',
  },
  'CS-WATCH-2': {
    area: 'server',
    says: 'Metrics are read on the machine of the server, or with a token of their own that opens nothing else.',
  },
  'CS-WATCH-3': {
    area: 'server',
    says: 'The alert rules and the dashboard in `deploy/` name only metrics that a server has.',
  },
  'CS-WATCH-4': {
    area: 'server',
    says: 'With OpenTelemetry a collector gets the numbers that `/metrics` has, under names that become the same in Prometheus; attributes name no person, tool or argument.',
  },
  'CS-SERVE-21': {
    area: 'server',
    says: 'A gate over a server runs a call by a whole answer of that server alone: error pages, half answers, other programs and silence run nothing; its token goes to no other address.',
  },
  'CS-ACT-1': {
    area: 'server',
    says: 'What a person does to an approval is answered with how it stands, in the words of its card, and with no argument, payload or result of the call.',
  },
  'CS-HA-1': {
    area: 'server',
    says: 'Servers, pods and commands that open one Postgres from folders of their own, or an SQLite file by a link, void no unused yes, grant or switch.',
  },
  'CS-HA-2': {
    area: 'server',
    says: 'A Postgres that was copied, restored or taken over by a standby is noticed once, for all servers: unused yeses are void before anything is served, whichever server opens it first.',
  },
  'CS-HA-3': {
    area: 'server',
    says: 'A server that outlives a failover or a restore of its database starts nothing twice: it refuses, is not ready, says why and exits, so that it is started anew.',
    headline: true,
  },
  'CS-SIGN-7': {
    area: 'server',
    says: 'A terminal elsewhere is signed in only when a signed-in user types its code, once, within ten minutes; an agent’s token cannot.',
  },
  'CS-GROWTH-1': {
    area: 'server',
    says: 'Questions that end together are ended by one look, in as few transactions as hold them.',
  },
  'CS-GROWTH-2': {
    area: 'server',
    says: 'Open inboxes hear of a change at once, while another transaction of the same Postgres cluster goes on; what they heard meanwhile is not told again.',
  },
  'CS-GROWTH-3': {
    area: 'server',
    says: 'A change of people or sessions asks for all open streams at once; changes that come together share the question.',
  },
  'CS-GROWTH-4': {
    area: 'server',
    says: 'Entries of a span of time are found wherever they are in the record, without looking through what came before or after.',
  },
  'CS-WIRE-1': {
    area: 'server',
    says: 'The server answers every request on the page of the wire as the page says, and the page says what to do about every code that a call can be refused with.',
  },
})
