import type { Threats } from './threat.ts'

const FORGED = 'forged, stale and confused callbacks decide nothing'
const REPLAYED = 'the same answer, replayed and out of order, counts once'
const KILLED =
  'killed, and followed by another process: nothing lost, nothing twice, the message finally true'
const MATRIX =
  'whatever the route, the method, the sender and the state, no caller gets further than the table says'

export const CHANNELS: Threats = {
  'B9-01': {
    threat: 'A mail scanner or a preview opens a link, and that decides.',
    tests: { 'test/server/matrix.test.ts': [MATRIX] },
  },
  'B9-02': {
    threat: 'A scanner that runs scripts opens a page and presses its buttons.',
    tests: {
      'test/server/matrix.test.ts': [MATRIX, 'only the approver decides: %s'],
      'test/server/sign-in.test.ts': ['a link works once'],
    },
    partly:
      'A sign-in link in a mail could be used up by such a scanner; Countersign prints these links and sends none, and one that was used up is made anew.',
  },
  'B9-03': {
    threat: 'A notice is forwarded, and its reader decides.',
    tests: { 'test/server/matrix.test.ts': [MATRIX] },
  },
  'B9-04': {
    threat: 'An approval by reply mail is forged.',
    reason: 'Approving by mail is not offered.',
  },
  'B9-05': {
    threat: 'A signed request of Slack is replayed or changed.',
    tests: { 'test/channels/slack-forged.test.ts': [FORGED, REPLAYED] },
  },
  'B9-06': {
    threat: 'A guest or a user of another Slack workspace presses the button.',
    tests: { 'test/channels/slack-forged.test.ts': [FORGED] },
  },
  'B9-07': {
    threat: 'Slack delivers one click several times.',
    tests: { 'test/channels/slack-forged.test.ts': [REPLAYED] },
  },
  'B9-08': {
    threat: 'A Slack message says approved although nothing was stored.',
    tests: { 'test/channels/slack-crash.test.ts': [KILLED] },
  },
  'B9-09': {
    threat: 'Another site makes the browser of an approver decide.',
    tests: {
      'test/server/sign-in.test.ts': ['a change from a page with %s is refused'],
      'test/server/guard.test.ts': ['a form of another page cannot post: only JSON is taken'],
    },
  },
  'B9-10': {
    threat: 'A webhook is forged, repeated or reordered on its way.',
    tests: {
      'src/channels/webhook.test.ts': [
        'any receiver of Standard Webhooks verifies it, with either secret',
      ],
      'test/gate/notifications-crash.test.ts': [
        'killed after sending, before that is noted: it comes again under the same id',
      ],
      'src/testing/outbox-cases.ts': ['gives the notices of one approval in order, one at a time'],
    },
  },
  'B9-11': {
    threat: 'A webhook address leads into the network, redirects or never ends.',
    tests: {
      'src/channels/webhook.test.ts': [
        'nothing of this machine is reached unless its host is allowed',
        'redirects are not followed',
        'an answer without end is not read to its end',
      ],
    },
  },
  'B9-12': {
    threat: 'A decision arrives by an inbound webhook without proof of who made it.',
    tests: {
      'test/channels/slack-forged.test.ts': [FORGED],
      'test/server/channel-links.test.ts': [
        'before the person confirms it, an account that sent a code decides nothing',
      ],
    },
  },
  'B9-13': {
    threat: 'A notice is lost, and no approver learns of the question.',
    tests: {
      'test/gate/notifications.test.ts': [
        'a channel that fails delays no call, and hears of it later',
      ],
      'test/cli/doctor.test.ts': [
        'undelivered notices and unanswerable questions are found, with what to do',
      ],
    },
  },
  'B9-14': {
    threat: 'An agent pipes its yes into the command line.',
    tests: {
      'test/cli/decide.test.ts': ['a yes needs a terminal and the end of the digest'],
      'test/cli/inbox.test.ts': ['without a terminal it says what to do instead'],
    },
    partly:
      'An agent of the same user that opens a terminal of its own can type as well: run it as another user, see B9-15.',
  },
  'B9-15': {
    threat: 'An agent on the same machine reads the credentials of the person.',
    tests: {
      'test/threats/documented-limits.test.ts': [
        'B9-15: an agent of the same user reads the same files',
      ],
      'test/cli/start.test.ts': [
        'what is kept lies beside the policy, for its owner only and out of version control',
      ],
    },
    partly:
      'Other users are kept out; the same user is a documented limit: run agents as another user, or decide on a server elsewhere.',
  },
  'B9-16': {
    threat: 'An agent repeats its question until an approver gives in.',
    tests: {
      'test/gate/outcome-rules.test.ts': ['an agent that floods people is stopped'],
      'test/server/operate.test.ts': [
        'a token that asks without end is slowed down, others are not',
      ],
      'test/gate/identity.test.ts': ['a denial answers the same call for the rest of its run'],
    },
    partly:
      'The terminal asks for the end of the digest; the inbox in the browser matches no number: `min_assurance: passkey` asks for a touch there.',
  },
  'B9-17': {
    threat: 'A webhook is forged, altered or replayed to the program that it wakes.',
    tests: {
      'test/workflows/cloudflare/wake.test.ts': [
        'a request wakes nothing',
        'a notice wakes nothing',
        'a notice that comes again reaches no instance that is over',
        'in workerd, without modules of Node, it is the same',
      ],
    },
  },
  'B9-18': {
    threat: 'A subscription to push messages names an address inside the network of the server.',
    tests: {
      'test/server/push.test.ts': [
        'an address inside a network is refused when it is given and when a name leads there',
      ],
    },
  },
  'B9-19': {
    threat: 'A lost, lent or sold phone goes on showing what its last owner is asked.',
    tests: {
      'test/server/push.test.ts': ['a device gets nothing more'],
      'inbox/test/app.test.ts': [
        'a browser that another person signs in with is theirs, and signing out turns it off',
      ],
    },
    partly:
      'A phone that is stolen unlocked shows the name of the tool and of the agent until its owner removes the device, an admin ends the sessions or locks the person, or 90 days have passed.',
  },
  'B9-20': {
    threat: 'A reader of a lock screen decides, or learns the arguments of a call.',
    tests: {
      'test/server/push.test.ts': [
        'a notification has no actions, and opens the card of the inbox',
        'masked values reach no device, and arguments only in the owner’s own words',
      ],
      'inbox/test/app.test.ts': [
        'a click opens the card, and no message opens another site or brings buttons',
      ],
    },
  },
  'B9-21': {
    threat: 'A push service reads, forges or keeps what it brings.',
    tests: {
      'src/channels/push/encrypt.test.ts': [
        'an independent reader opens what is encrypted, as it opens its own',
        'no other browser opens it, and no changed byte goes unnoticed',
      ],
    },
    partly: 'It learns when a device is told something, and its address on the internet.',
  },
}
