import { from } from './promised.ts'

/** How people hear of things, and what is seen without being enforced. */
export const COUNTERSIGN_NOTIFICATIONS = from('Countersign', {
  'CS-QUIET-1': {
    area: 'answers',
    says: 'Quiet hours hold no question beyond the time in which it can be answered; calls of L4 and L5, and calls that would have too little time left, are told at once.',
  },
  'CS-QUIET-2': {
    area: 'answers',
    says: 'A person chooses which channel tells first; the next one follows while the call waits, and at once where the first has no address or fails.',
  },
  'CS-ONCALL-1': {
    area: 'answers',
    says: 'The members of a group who are on call are told first, also of reminders and escalations; the others are told after a while, as long as the call waits.',
  },
  'CS-ONCALL-2': {
    area: 'answers',
    says: 'A schedule changes nothing about who may decide; all of a group are told at once where it cannot be read, names too few people, or those on call do not hear of the call.',
  },
  'CS-ONCALL-3': {
    area: 'answers',
    says: 'A calendar is read from a file or from an address that the server may reach; one that fails is named in the log without its address.',
  },
  'CS-ROUTE-1': {
    area: 'answers',
    says: 'The policy says which channels tell first of which calls; what a person chose counts where the policy leaves it to them.',
  },
  'CS-DIGEST-1': {
    area: 'answers',
    says: 'A person may get one message for several calls; a call that cannot wait for it is told at once, and a killed process loses none.',
  },
  'CS-TOLD-1': {
    area: 'answers',
    says: 'Notices are written in the transaction of their event (transactional outbox) and delivered at least once; a channel that fails delays no call and loses no decision.',
    headline: true,
  },
  'CS-TOLD-2': {
    area: 'answers',
    says: 'A question that ended before its notice was sent is not sent; the notice of its end follows in order.',
  },
  'CS-TOLD-3': {
    area: 'answers',
    says: 'Each reminder and each escalation happens once in total, however many servers watch the clock; added approvers are told who was added and why.',
  },
  'CS-TOLD-4': {
    area: 'answers',
    says: 'What could not be told is tried again with growing pauses, then shown as stuck until an operator looks.',
  },
  'CS-TOLD-5': {
    area: 'answers',
    says: 'A notice holds no arguments, no secrets and nothing that could decide.',
  },
  'CS-TOLD-6': {
    area: 'answers',
    says: 'A webhook reaches no private, local or metadata address unless the operator named that host, and follows no redirect.',
  },
  'CS-TOLD-7': {
    area: 'answers',
    says: 'A webhook is signed after Standard Webhooks, with every secret that is set.',
  },
  'CS-CHAN-1': {
    area: 'answers',
    says: 'A channel with addresses keeps one message per address and approval and settles it in place wherever the call was decided, also after a crash.',
  },
  'CS-CHAN-2': {
    area: 'answers',
    says: 'A channel learns tool, agent, risk and deadline, the message only where the operator shares it and the owner wrote a template; masked values never.',
  },
  'CS-CHAN-3': {
    area: 'locks',
    says: 'A chat account answers for a person only after a code that this person made in the inbox was sent from it and confirmed in the inbox by them; a code works once, for ten minutes.',
  },
  'CS-CHAN-4': {
    area: 'locks',
    says: 'A linked account stops answering after 90 days, when its person ends the link, is locked or is removed; linking and unlinking are on record.',
  },
  'CS-CHAN-5': {
    area: 'locks',
    says: 'An answer from a chat has the assurance `chat` and names the digest that was shown; eligibility, quorum, self-approval, locks and stand-ins are judged as for any answer.',
  },
  'CS-CHAN-6': {
    area: 'answers',
    says: 'An address that fails or hangs delays the end of its call at no other address by more than seconds, and hears of things in order itself.',
  },
  'CS-CHAN-7': {
    area: 'answers',
    says: 'A message that can be changed says after each vote how many of how many agreed; a settled one says who decided and when, without what they wrote.',
  },
  'CS-SLACK-1': {
    area: 'answers',
    says: 'A call is read and decided in Slack in a modal with all its arguments and its digest, Deny first; the message says what became of it, wherever it was decided.',
  },
  'CS-SLACK-2': {
    area: 'server',
    says: 'What Slack sends counts only when it is signed with our secret over the bytes that came, within five minutes.',
  },
  'CS-SLACK-3': {
    area: 'locks',
    says: 'Guests, bots, strangers, deleted users and users of another workspace decide nothing in Slack, and an account answers for its linked person only.',
  },
  'CS-SLACK-4': {
    area: 'questions',
    says: 'Nothing is decided in Slack that is not shown there whole, as plain text with invisible characters written out; the rest opens the inbox.',
  },
  'CS-SLACK-5': {
    area: 'answers',
    says: 'A refusal comes back into the modal with the sentence of the gate.',
  },
  'CS-SLACK-6': {
    area: 'answers',
    says: 'People are told in Slack by direct message, or once in the channel of their group.',
  },
  'CS-SLACK-7': {
    area: 'answers',
    says: 'A Slack that limits, loses, delays or repeats delays no call, and leaves one message per person that finally says what is true.',
  },
  'CS-MAIL-1': {
    area: 'answers',
    says: 'Mails tell and never decide: their link opens the inbox and signs no person in, and the mails of one approval are one thread.',
  },
  'CS-MAIL-2': {
    area: 'answers',
    says: 'A person gets at most five mails in ten minutes; what comes beyond that is put together into digests.',
  },
  'CS-MAIL-3': {
    area: 'answers',
    says: 'A mail that the mail server refuses for now is tried again; an address that does not exist keeps no other person from being told.',
  },
  'CS-PUSH-1': {
    area: 'answers',
    says: 'A push message is encrypted for one browser (RFC 8291) and signed with the key of the server (RFC 8292); the push service reads nothing of it.',
  },
  'CS-PUSH-2': {
    area: 'answers',
    says: 'A device belongs to one signed-in person; it gets nothing after their sign-out, removal or lock, a 404 or 410 of its push service, or 90 days without the inbox.',
  },
  'CS-PUSH-3': {
    area: 'answers',
    says: 'A notification about a call that was decided elsewhere goes away, also when the server was killed in between.',
  },
  'CS-PUSH-4': {
    area: 'answers',
    says: 'Nothing is decided from a notification: it has no actions, and opens the signed-in inbox.',
  },
  'CS-PUSH-5': {
    area: 'answers',
    says: 'A push message reaches no private, local or metadata address unless the operator named that host.',
  },
  'CS-PUSH-6': {
    area: 'answers',
    says: 'The inbox installs as an app; its service worker stores no response of the server, and without a network says that nothing is decided.',
  },
  'CS-OBSERVE-1': {
    area: 'modes',
    says: 'Under `observe` the owner’s rules let calls pass, each on record first with secrets masked; governance and locks hold, and `denyAll` is not loosened.',
  },
  'CS-OBSERVE-2': {
    area: 'modes',
    says: 'A server in observe mode says so at the start, in `/readyz`, in the metrics and in `GET /v1/me`.',
  },
  'CS-OBSERVE-3': {
    area: 'files',
    says: 'Calls recorded while observing are replayed against another policy with the same lines as calls from a file.',
  },
})
