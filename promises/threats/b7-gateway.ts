import type { Threats } from './threat.ts'

const TWO_WAYS = 'requests that could be read in two ways are refused'
const MATRIX =
  'whatever the route, the method, the sender and the state, no caller gets further than the table says'

export const GATEWAY: Threats = {
  'B7-01': {
    threat: 'A website reaches the server by rebinding a name or by a cross-site request.',
    tests: {
      'test/server/guard.test.ts': ['a request from %s is refused, with or without a session'],
      'test/cli/start.test.ts': ['another name for this machine is not served'],
      'test/mcp/http.test.ts': [TWO_WAYS],
    },
  },
  'B7-02': {
    threat: 'A header names another tool or method than the body.',
    tests: { 'test/mcp/http.test.ts': [TWO_WAYS] },
    partly:
      'Method, name, version and session are tried; header values in encoded form are not, and are compared as they are written.',
  },
  'B7-03': {
    threat: 'Keys of a message are written so that gateway and server read different messages.',
    tests: {
      'test/mcp/http.test.ts': [TWO_WAYS],
      'src/gateway/downstream/fast-path.test.ts': [
        'a call that needs no approval leaves at once, written anew',
      ],
    },
    partly:
      'Servers in TypeScript are tried, not in Go, Python or Java; each gets a message that was written anew, with every key once.',
  },
  'B7-04': {
    threat: 'A call hides in a batch, a notification or an unknown method.',
    tests: { 'test/mcp/http.test.ts': [TWO_WAYS] },
  },
  'B7-05': {
    threat: 'A client’s token is passed on, or a token for another audience is accepted.',
    tests: {
      'test/mcp/http.test.ts': ['what an agent brings to the gateway goes no further'],
      'test/server/oidc-liar.test.ts': ['a token that is not for this sign-in is refused'],
    },
  },
  'B7-06': {
    threat: 'A sign-in that one person began is finished as another’s (confused deputy).',
    tests: {
      'test/server/oidc.test.ts': [
        'an answer that does not belong to this browser and this attempt is refused',
        'an answer works once, and never for the next attempt',
      ],
      'test/server/sign-in.test.ts': ['over https it is bound to this very name'],
    },
  },
  'B7-07': {
    threat: 'An address leads the server into its own network.',
    tests: {
      'src/base/net/egress.test.ts': [
        'private addresses are refused, however written',
        'a name is resolved once, and every address it has must be public',
      ],
      'test/mcp/egress.test.ts': [
        'a name that leads into a network is not followed there, whatever it said before',
        'a server that sends us on is not followed, and one inside a network is left out',
      ],
      'src/gate/schema/json-schema.test.ts': ['a reference to somewhere else'],
    },
  },
  'B7-08': {
    threat: 'An address that a server sends is handed to a shell or opened as a script.',
    tests: {
      'test/threats/source.test.ts': [
        'B7-08: outside of Windows nothing is handed to a shell, and four files start processes',
      ],
    },
  },
  'B7-09': {
    threat: 'A command to start a server is smuggled in through the API.',
    tests: {
      'test/threats/source.test.ts': [
        'B7-08: outside of Windows nothing is handed to a shell, and four files start processes',
      ],
      'test/server/matrix.test.ts': [
        'every route that takes a body has one here',
        'every route stands in the table of rights, with the same rights',
      ],
      'test/server/openapi.test.ts': ['B7-09: no route has a place for a command to start'],
    },
  },
  'B7-10': {
    threat: 'Clients that share a connection get each other’s answers.',
    tests: {
      'test/mcp/http.test.ts': ['a hundred clients at once each get their own answers'],
      'test/mcp/asking.test.ts': [
        'clients that share a credential are each asked about their own calls',
      ],
    },
  },
  'B7-11': {
    threat: 'A client disconnects while its call waits, and it runs unobserved.',
    tests: {
      'test/mcp/ladder.test.ts': ['a client that cancels takes its question back'],
      'test/mcp/unknown.test.ts': [
        'a client that hangs up does not stop its call, and others notice nothing',
      ],
    },
    partly:
      'A client that cancels withdraws its question; one that only hangs up keeps it, so that it can come back. An unused yes ends by `use_by`.',
  },
  'B7-12': {
    threat: 'A client that cannot show questions gets its call run without one.',
    tests: {
      'test/mcp/ladder.test.ts': ['where no person can be asked at all, the call is refused'],
      'test/mcp/http.test.ts': [
        'a client is asked by the way it came in, whatever kind of tool it calls',
      ],
    },
  },
  'B7-13': {
    threat: 'The client itself answers the question that was meant for a person.',
    tests: {
      'test/mcp/unchosen.test.ts': [
        'B7-13: an answer that no person chose is no answer, and the question stays in the inbox',
        'a question for other people is not put to the client',
      ],
      'src/approval/commands/decide.test.ts': ['an answer in the client cannot approve'],
    },
    partly:
      'A confirmation may be given in the client, and one that fills in the form by itself is believed there; `min_assurance: signed-in` or `review` asks elsewhere.',
  },
  'B7-14': {
    threat: 'Another person opens the link to a card and decides.',
    tests: {
      'test/mcp/ladder.test.ts': [
        'B7-14: a client that opens addresses is sent to the card, and the decision is made there',
      ],
      'test/server/matrix.test.ts': [MATRIX, 'only the approver decides: %s'],
      'test/server/cards.test.ts': ['a viewer sees it and is told why they cannot decide'],
    },
  },
  'B7-15': {
    threat: 'A server answers with a flood, silence or nonsense.',
    tests: {
      'test/mcp/faults.test.ts': [
        'a server that crashes, hangs, babbles or floods harms only its own call',
      ],
      'test/mcp/unknown.test.ts': ['what an address answers instead of an answer'],
    },
  },
  'B7-16': {
    threat: 'An older or forgotten endpoint reaches a tool without the gate.',
    tests: {
      'test/server/matrix.test.ts': [
        MATRIX,
        'every route stands in the table of rights, with the same rights',
      ],
    },
  },
  'B7-17': {
    threat: 'Clients reach the server of a tool directly, past the gateway.',
    tests: {
      'test/server/policy-text.test.ts': [
        'B7-17: agents and viewers get the rules of the policy without how its servers are reached',
      ],
      'test/threats/documented-limits.test.ts': [
        'B6-12, B7-17: only one holder of the credential is no way around',
      ],
    },
    partly:
      '`countersign doctor` says it; it cannot see who else holds the credential. Give it to the gateway alone.',
  },
  'B7-18': {
    threat: 'A client passes for another one, or has the browser send its code elsewhere.',
    tests: {
      'test/server/oauth-hostile.test.ts': [
        'a client by an id that is no public document is refused',
        'a metadata document is refused that',
        'the browser is not sent to',
      ],
    },
    partly:
      'Any program on the machine of a person can use the id of a client that listens there. The page says so, and asks each time.',
  },
  'B7-19': {
    threat: 'A code or a token of a client is stolen, replayed, or used for more than was allowed.',
    tests: {
      'test/server/oauth-hostile.test.ts': ['no code is given to a request'],
      'test/server/oauth-tokens-hostile.test.ts': [
        'a code is not exchanged',
        'a code that comes again ends what it made',
        'a refresh token that comes again ends the connection',
        'with a token of a client one cannot',
        'nothing of one tenant counts in another',
      ],
    },
    partly:
      'Tokens are not bound to a key of the client: a stolen access token works for 15 minutes.',
  },
  'B7-20': {
    threat: 'A person is made to allow a client unawares, or a client decides in their place.',
    tests: {
      'test/server/oauth-tokens-hostile.test.ts': ['a client is not allowed by'],
      'test/e2e/oauth.test.ts': [
        'a client of the SDK comes in through the browser of a person, and leaves when they say so',
      ],
      'test/mcp/oauth.test.ts': [
        'a client that a person allowed does not answer for that person',
        'who allowed a client does not approve its calls where others have to',
      ],
    },
  },
  'B7-21': {
    threat: 'A server of HTTP+SSE names an address elsewhere, and gets its messages sent there.',
    tests: {
      'test/mcp/sse.test.ts': [
        'no message goes to an address that is not the server’s own',
        'an address named later changes nothing, and redirects are not followed',
        'its stream and its messages go only where the name may lead, each time anew',
      ],
    },
  },
  'B7-22': {
    threat: 'The id of a task is guessed, stolen or used again, for a result or for a second run.',
    tests: {
      'test/mcp/tasks.test.ts': [
        'ids that are forged, foreign or of another kind get nothing, and change nothing',
        'a task outlives the server: the approval is the truth, and the call runs once',
        'a token that is revoked takes its tasks with it: a later yes runs nothing',
        'an answer to a task is no decision',
      ],
    },
  },
  'B7-23': {
    threat: 'An ACP agent gets more from its editor than a person allowed, or is allowed for ever.',
    tests: {
      'test/acp/acp.test.ts': [
        'requests that are unknown, take no single yes, or end with their turn get nothing',
        'a person may decide in the inbox instead, and what the editor answers by itself does not count',
        'a permission that the agent asks for is asked in the editor, and the record has it with its end',
      ],
    },
    partly:
      'What the agent does without asking passes no door, and what it does after a yes is its own word.',
  },
  'B7-24': {
    threat: 'A message to an A2A task says that it was approved, or takes the place of what was.',
    tests: {
      'test/adapters/a2a.test.ts': [
        'a message that needs approval is a task that requires authorization, and runs once it was approved',
        'an approval is for one message of one task',
      ],
    },
  },
  'B7-25': {
    threat:
      'A server behind the gate, its authorization server, or a forged answer gets a token, a code or a request that is meant for another.',
    tests: {
      'test/mcp/sign-in.test.ts': [
        'an admin signs in at a server, and agents call its tools without seeing the token',
        'a token is renewed before it ends, once for all processes on a database',
        'a sign-in that was taken back lets nothing through and says what to do',
        'a server that asks for more gets it from an admin who saw what, and not by itself',
        'after signing out no process sends the token, and the issuer was told',
      ],
      'test/mcp/sign-in-hostile.test.ts': [
        'an answer counts once, and for the admin who asked',
        'only admins sign in and out at servers',
        'a server that redirects does not pass the token on',
        'another server under the same alias gets nothing of it',
        'a row that names another token endpoint does not open',
        'a client made by hand is used at the issuer it was made at alone',
      ],
      'test/mcp/sign-in-attacks.test.ts': [
        'a process that had the token of before sends the one of a new sign-in',
        'a row of a sign-in under way that names another token endpoint does not open',
        'tokens that come after a person signed out are given back, and never sent',
        'a server on the public internet leads to no private address that others are allowed for',
      ],
    },
    partly:
      'The sign-in is one for all agents: what it may do at the server, each of them may ask for. A server that writes its token into a result in another form shows it.',
  },
}
