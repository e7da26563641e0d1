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
  'B9-22': {
    threat:
      'A changed client of Telegram sends what no button says, or another account, bot or group presses one.',
    tests: {
      'test/channels/telegram-forged.test.ts': [
        'forged, stale and confused updates of Telegram decide nothing',
        'a card that is stale, of a person who lost their place or their link, decides nothing',
      ],
    },
  },
  'B9-23': {
    threat: 'Telegram delivers one answer several times, late, or after a crash.',
    tests: {
      'test/channels/telegram-forged.test.ts': [
        'the same answer, replayed and at once, counts once',
      ],
      'test/channels/telegram-crash.test.ts': [
        'killed, and followed by another process: nothing lost, nothing decided twice, the message finally true',
      ],
    },
    partly:
      'A bot cannot look for its messages: one whose sending was not noted before a crash stands there twice, and the first of both says what is true once its button is pressed.',
  },
  'B9-24': {
    threat:
      'An account of Telegram outlives the job of its owner, or is taken over with a phone number.',
    tests: {
      'test/server/channel-links.test.ts': [
        'before the person confirms it, an account that sent a code decides nothing',
      ],
      'test/channels/telegram-forged.test.ts': [
        'a card that is stale, of a person who lost their place or their link, decides nothing',
      ],
    },
    partly:
      'Until the link ends, the person is locked or removed, or 90 days have passed, the holder of the account answers as far as rules trust a chat: `min_assurance: signed-in` trusts none.',
  },
  'B9-25': {
    threat:
      'A request of Discord is forged, changed or replayed, or another account, bot or application presses a button.',
    tests: {
      'test/channels/discord-forged.test.ts': [
        'forged, stale and confused interactions of Discord decide nothing',
        'a card of Discord that is stale, or of a person who lost their link, decides nothing',
        'the same answer to Discord, replayed and at once, counts once and is answered once',
      ],
      'src/channels/discord/discord-signature.test.ts': [
        'a signature of Discord is checked as the library of Discord checks it',
        'a signature of Discord holds for five minutes, with any of the keys',
      ],
    },
    partly:
      'Each process remembers the requests it answered: one that was recorded behind TLS and is sent to another process of the same server within five minutes is answered there, too. It decides nothing more.',
  },
  'B9-26': {
    threat: 'A text of an agent speaks in our voice in Discord, or notifies people.',
    tests: {
      'test/channels/discord.test.ts': [
        'what cannot be seen is written out, and no text of an agent is read as markup',
      ],
    },
  },
  'B9-27': {
    threat: 'A message of Discord is lost, posted twice or left pending by a crash.',
    tests: {
      'test/channels/discord-crash.test.ts': [
        'killed with Discord, and followed by another process: nothing lost, nothing twice, the message finally true',
      ],
      'test/channels/discord.test.ts': [
        'a Discord that limits, loses and fails: no call waits, the message is finally true',
      ],
    },
    partly:
      'A card that one person opened is theirs: decided elsewhere, it says so when one of its buttons is pressed.',
  },
  'B9-28': {
    threat:
      'An activity of Teams is forged, comes through another channel of the bot or from another organisation, or a guest presses a button.',
    tests: {
      'test/channels/teams-forged.test.ts': [
        'forged, stale and confused activities of Teams decide nothing',
        'a card of Teams that is stale, or of a person who lost their link, decides nothing',
        'the same answer in Teams, replayed and at once, counts once and is answered once',
      ],
      'test/channels/teams-bot.test.ts': [
        'Teams is asked who answers, each time, and without its word no answer counts',
      ],
    },
    partly:
      'A token of the Bot Connector proves its sender and not the body: a holder of one, good for an hour, and of the name of an open card could send the answer of the account that opened it. Both pass through TLS alone.',
  },
  'B9-29': {
    threat: 'An activity of Teams makes the server send the token of the bot elsewhere.',
    tests: {
      'test/channels/teams-forged.test.ts': [
        'forged, stale and confused activities of Teams decide nothing',
      ],
    },
  },
  'B9-30': {
    threat: 'Teams delivers one answer several times, late, or after a crash.',
    tests: {
      'test/channels/teams-crash.test.ts': [
        'killed with Teams, and followed by another process: nothing lost, nothing decided twice, the message finally true',
      ],
      'test/channels/teams-bot.test.ts': [
        'activities of Teams that come twice, late or out of order change nothing more',
      ],
    },
    partly:
      'A bot cannot look for its messages: one whose sending was not noted before a crash stands there twice, and the first of both says what is true once its button is pressed.',
  },
  'B9-31': {
    threat:
      'A schedule of who is on call is broken, forged or out of date, and a call reaches no person in time.',
    tests: {
      'test/gate/on-call.test.ts': [
        'all are told at once',
        'all are told where no channel reaches the person on call',
        'the others are told when the person on call is not reached',
        'a person who is not on call may decide at once',
      ],
    },
    partly:
      'A schedule that names the wrong member delays the others by `others_after`, 15 minutes unless set.',
  },
  'B9-32': {
    threat:
      'The address of a calendar leads into the network, to a file without end, or is read by agents.',
    tests: {
      'src/server/on-call/schedules.test.ts': [
        'a calendar that cannot be read is said once, and its address is not',
        'nothing is fetched from where a server may not reach, nor read from what is no file',
      ],
      'test/server/rules.test.ts': ['a draft names no calendar that the file did not'],
    },
  },
  'B9-33': {
    threat:
      'An answer of the sign-in provider is forged, replayed, for another person, client or request, or claims more assurance than it has.',
    tests: {
      'test/channels/ciba-forged.test.ts': [
        'forged, replayed, stale and confused answers of a provider decide nothing',
        'a question to one approver is not answered by the token of another',
        'an assurance comes from the signed acr and the operator’s map alone',
      ],
    },
    partly:
      'An attacker who can accept a person’s prompts, or speak for the provider, decides for that person, as they can sign in for them.',
  },
  'B9-34': {
    threat:
      'A person accepts a prompt of the provider that is late, about an edited call, or although they lost their place.',
    tests: {
      'test/channels/ciba-forged.test.ts': [
        'a yes that comes while the call ends, changes, or its person is locked decides nothing',
      ],
      'test/channels/ciba.test.ts': [
        'quorum and edits hold: a yes about another call counts for nothing',
        'decided elsewhere, removed or locked: polling stops, and a late yes counts for nothing',
      ],
      'test/channels/ciba-crash.test.ts': [
        'killed, and followed by another process: the person is asked once more at most, and one yes counts once',
      ],
    },
    partly: 'CIBA cannot take a prompt back: it may stay on the screen and decide nothing.',
  },
  'B9-35': {
    threat:
      'People accept a prompt of the provider that shows too little of a dangerous call, or learn to accept prompts.',
    tests: {
      'test/channels/ciba.test.ts': [
        'what a device cannot show or say is for the inbox: risk, rating, length, reasons, forms, assurance',
        'no argument and no masked value reaches the provider, whatever the message says',
      ],
      'src/channels/ciba/ciba-offer.test.ts': ['one more than fits'],
    },
    partly:
      'Within the risk that the operator sets, a person sees the name of the tool and eight digits of the digest, and the arguments only in the inbox.',
  },
}
