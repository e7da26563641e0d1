import type { Threats } from './threat.ts'

const MATRIX =
  'whatever the route, the method, the sender and the state, no caller gets further than the table says'

export const DECIDERS: Threats = {
  'B4-01': {
    threat: 'The requester, or the person the agent works for, approves the call.',
    tests: {
      'test/server/principals.test.ts': ['B4-01: only a plain address names a person'],
      'src/approval/commands/decide.test.ts': ['%s never satisfies review'],
      'test/server/cards.test.ts': [
        'the person the agent works for cannot approve for themselves, but may say no',
      ],
      'test/gate/model-words.test.ts': [
        'neither the agent nor the acting user approves for other people',
      ],
    },
  },
  'B4-02': {
    threat: 'An agent decides with its own token, or through a tool.',
    tests: {
      'test/server/answers.test.ts': ['B4-02: an answer from a chat decides nothing else'],
      'test/server/matrix.test.ts': ['only the approver decides: %s'],
      'test/server/sign-in.test.ts': ['a token is never a person, and a cookie never an agent'],
      'test/threats/source.test.ts': ['B4-02: no tool that we offer to clients decides'],
    },
    partly:
      'An application whose token vouches for its users is believed when it passes on their confirmations; give that right to no token an agent can read, and ask for `review` where it matters.',
  },
  'B4-03': {
    threat: 'An approval is forged in the history of a chat.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 1, 26: a decision in another shape than a person’s answer decides nothing',
      ],
      'src/testing/hostile-adapter-cases.ts': [
        'a forged approval of a call that was never asked about runs nothing',
        'the program that drives the run cannot approve for people, and their question stays',
      ],
    },
  },
  'B4-04': {
    threat:
      'Arguments or metadata carry fields such as `approved` or `bypass`, and they are obeyed.',
    tests: {
      'test/gate/model-words.test.ts': ['nothing in a call approves it'],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 7: control fields from outside are refused, not obeyed',
      ],
      'test/mcp/gate-server.test.ts': [
        'people are asked once on the way through two gates, whatever callers call themselves',
      ],
    },
  },
  'B4-05': {
    threat: 'The body of a request says who decides.',
    tests: {
      'test/server/principals.test.ts': [
        'B4-05: a token that is neither bound to a person nor vouches for its users names no person',
      ],
      'test/server/calls.test.ts': ['a body that says %s is refused: %j'],
    },
  },
  'B4-06': {
    threat: 'Knowing or guessing the id of an approval is enough to decide or use it.',
    tests: {
      'test/server/matrix.test.ts': [MATRIX, 'another agent that knows the id cannot %s'],
      'src/base/id.test.ts': ['ids are letters and digits, and no two are alike'],
    },
  },
  'B4-07': {
    threat: 'A command or a worker decides with the rights of the server instead of the sender’s.',
    tests: {
      'test/threats/source.test.ts': [
        'B4-07: two files say a decision to the store, and one of them is for tests',
      ],
      'test/cli/decide.test.ts': ['deciding never uses the token of an agent'],
    },
  },
  'B4-08': {
    threat: 'An approver of one kind of call decides another kind.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 14, 15: an approver of one kind of call does not decide another',
      ],
    },
  },
  'B4-09': {
    threat: 'A yes still counts after its approver was removed, locked or lost their role.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'removing a voter between the yes and the claim stops the call',
      ],
      'src/approval/commands/decide.test.ts': [
        'a voter who is locked before the last yes no longer counts',
      ],
      'test/gate/claims.test.ts': [
        'someone who left the group no longer counts, before or after the last yes',
      ],
      'test/server/people.test.ts': ['a yes whose giver is removed is not spent'],
    },
  },
  'B4-10': {
    threat: 'A person joins the approver group after the question was asked, to approve it.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'joining the group after asking does not make the requester an approver',
      ],
      'src/approval/commands/decide.test.ts': [
        'someone who joined the group after voting does not count backwards',
      ],
    },
    partly:
      'A policy cannot ask for a membership that is older than the question; name people instead of a group where joining it is easy.',
  },
  'B4-11': {
    threat: 'A stolen or very old session decides.',
    tests: {
      'test/server/passkeys.test.ts': [
        'a call that needs a passkey is approved with one, and the record says so',
        'a passkey is added soon after signing in, and never with an old session',
      ],
      'test/server/sign-in.test.ts': [
        'a session ends after 12 hours without use, and after 7 days in any case',
      ],
    },
    partly:
      'Where the policy asks for no passkey, deciding has no age limit beyond the session’s; `min_assurance: passkey` asks for a fresh touch.',
  },
  'B4-12': {
    threat: 'The verdict of a model counts as the vote of a person.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 1, 26: a decision in another shape than a person’s answer decides nothing',
      ],
      'test/server/matrix.test.ts': ['only the approver decides: %s'],
    },
    partly:
      'A program that signs in at the provider as a person is one for us; `min_assurance: passkey` keeps it out unless it holds the key.',
  },
  'B4-13': {
    threat: 'One tenant reads or decides what belongs to another.',
    tests: {
      'src/testing/store-cases/identity.ts': ['keeps tenants apart'],
      'src/testing/store-cases/grant.ts': [
        'keeps grants apart by tenant, and lists them page by page',
      ],
      'test/server/matrix.test.ts': [MATRIX],
    },
    partly:
      'Tenants are kept apart by every key and query; row level security is not used, so the database password gives access to all of them. Use a database for each where that matters.',
  },
  'B4-14': {
    threat: 'A way around people for emergencies is abused.',
    tests: {
      'test/threats/policy.test.ts': ['B4-14: a policy cannot name a way around people: %s'],
      'test/server/matrix.test.ts': [
        'every route stands in the table of rights, with the same rights',
      ],
    },
  },
  'B4-15': {
    threat: 'A call counts as already asked because of a name, an address or a header.',
    tests: {
      'test/mcp/gate-server.test.ts': [
        'people are asked once on the way through two gates, whatever callers call themselves',
      ],
      'src/gate/proof/countersignature.test.ts': [
        'a forgery counts as absent',
        'for another call it counts as absent',
      ],
      'test/client/countersigned.test.ts': [
        'what does not speak for the call is asked about',
        'only the holder of a running claim gets a countersignature, and one alone',
      ],
    },
  },
  'B4-16': {
    threat: 'The last of several approvers alone sets the answers that the others never saw.',
    tests: {
      'test/gate/forms.test.ts': ['several approvers approve one set of answers'],
      'test/server/forms.test.ts': [
        'approvers of a quorum see the answers of each other and agree on one set',
      ],
    },
    partly: 'A payload without a form is still that of the last approver.',
  },
  'B4-17': {
    threat: 'A form is used to get around a denial, or a grant answers it without a person.',
    tests: {
      'test/gate/forms.test.ts': [
        'no grant answers a call with a form, and none is made from one',
        'a denied call stays denied under any other form',
        'proof of another gate’s yes answers no form',
      ],
    },
  },
  'B4-18': {
    threat:
      'A client that reaches an agent calls its method that approves, under any name, or sends the event that a workflow waits for.',
    tests: {
      'test/workflows/cloudflare/expense-cases.ts': [
        'reaching the agent answers nothing: no session, another user, its own code, forged events and state',
        'what others must approve is not answered through the agent; they answer at the server',
        'an answer that comes twice does not answer the next question of the workflow',
      ],
      'test/workflows/cases.ts': [
        'a forged wake-up runs nothing, and the workflow goes on waiting',
      ],
    },
    partly:
      'Who is signed in on a connection is for the application to say; its token counts for confirmations by the user the workflow runs for, and for nothing else.',
  },
}
