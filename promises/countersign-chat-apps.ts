import { from } from './promised.ts'

/** Chat apps besides Slack in which people are told and answer. */
export const COUNTERSIGN_CHAT_APPS = from('Countersign', {
  'CS-TEAMS-1': {
    area: 'answers',
    says: 'A channel of Teams is told by a workflow and answers nothing; no text of an agent is Markdown there, and the address of the workflow is shown to no person.',
  },
  'CS-TEAMS-2': {
    area: 'answers',
    says: 'A call is read and decided in a personal chat of Teams with all its arguments and its digest, Deny first; the one message says what became of it, wherever it was decided.',
  },
  'CS-TEAMS-3': {
    area: 'server',
    says: 'The bot of Teams takes once what comes with Microsoft’s token for it and for the service it names; an answer counts from the account that saw the card, about the digest it saw.',
  },
  'CS-TEAMS-4': {
    area: 'locks',
    says: 'Guests, bots, other organisations, group chats and accounts without a link decide nothing in Teams; Teams is asked for each answer whether the account is a member.',
  },
  'CS-TEAMS-5': {
    area: 'questions',
    says: 'Nothing is decided in Teams that does not fit whole into one card, spaces kept and invisible characters written out; no text of an agent is Markdown there.',
  },
  'CS-TEAMS-6': {
    area: 'answers',
    says: 'Where a rule wants a reason, a button in Teams decides nothing without one.',
  },
  'CS-TEAMS-7': {
    area: 'answers',
    says: 'A Teams that limits, loses or repeats delays no call and counts no answer twice; each message that is on record finally says what is true, also after a crash.',
  },
  'CS-DISC-1': {
    area: 'answers',
    says: 'A call is decided in Discord in a card that one person sees, with all its arguments and its digest, Deny first; the one message says what became of it, wherever it was decided.',
  },
  'CS-DISC-2': {
    area: 'server',
    says: 'Discord’s requests count by its signature over the bytes that came, for five minutes and once; an answer counts from the account that saw the card, about the digest it saw.',
  },
  'CS-DISC-3': {
    area: 'locks',
    says: 'Bots, other applications and accounts without a link decide nothing in Discord; an account answers for its linked person, and where a server of Discord is named, as its member.',
  },
  'CS-DISC-4': {
    area: 'questions',
    says: 'Nothing is decided in Discord that does not fit whole into one card, invisible characters written out; an agent’s text stands in code that it cannot end, and mentions are off.',
  },
  'CS-DISC-5': {
    area: 'answers',
    says: 'Where a rule wants a reason, a button in Discord decides nothing; the modal that asks for the reason does.',
  },
  'CS-DISC-6': {
    area: 'answers',
    says: 'People are told in Discord in a direct message to the account they linked; channels are told besides, and no argument stands in a message that others can read.',
  },
  'CS-DISC-7': {
    area: 'answers',
    says: 'A Discord that limits, loses or repeats delays no call and counts no answer twice; each message is posted once and finally says what is true, also after a crash.',
  },
  'CS-TG-1': {
    area: 'answers',
    says: 'A call is read and decided in a private chat of Telegram with all its arguments and its digest, Deny first; the one message says what became of it, wherever it was decided.',
  },
  'CS-TG-2': {
    area: 'server',
    says: 'The webhook of Telegram takes only what comes with its secret; an answer counts by a button of our message, from the account that opened the call, about the digest that was shown.',
  },
  'CS-TG-3': {
    area: 'locks',
    says: 'Bots, groups, channels and accounts without a link decide nothing in Telegram, and an account answers for its linked person only.',
  },
  'CS-TG-4': {
    area: 'questions',
    says: 'Nothing is decided in Telegram that does not fit whole into one message, invisible characters written out; no text of an agent becomes a link, a mention or a command there.',
  },
  'CS-TG-5': {
    area: 'answers',
    says: 'Where a rule wants a reason, a button in Telegram decides nothing; the reply to the question for the reason does.',
  },
  'CS-TG-6': {
    area: 'answers',
    says: 'People are told in Telegram in the private chat of the account they linked; group chats are told besides and have no button that answers.',
  },
  'CS-TG-7': {
    area: 'answers',
    says: 'A Telegram that limits, loses or repeats delays no call and counts no answer twice; each message that is on record finally says what is true, also after a crash.',
  },
})
