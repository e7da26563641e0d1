import { from } from './promised.ts'

/** What the people who decide can rely on, in the browser and in the terminal. */
export const COUNTERSIGN_INBOX = from('Countersign', {
  'CS-INBOX-1': {
    area: 'inbox',
    says: 'In a terminal a yes needs every line of the call on the screen and the end of its digest typed.',
  },
  'CS-INBOX-2': {
    area: 'inbox',
    says: 'A call that changes while an approver reads it in a terminal has to be read again.',
  },
  'CS-INBOX-3': {
    area: 'inbox',
    says: 'While the server is away, a terminal shows what was known and decides nothing.',
  },
  'CS-INBOX-4': {
    area: 'inbox',
    says: 'Leaving the inbox gives the terminal back as it was.',
  },
  'CS-INBOX-5': {
    area: 'inbox',
    says: 'Calls that are decided together are each shown whole and decided by their own digest; high risk is approved alone.',
  },
  'CS-INBOX-6': {
    area: 'inbox',
    says: 'A card that changes while it is open takes its buttons away until the change was seen.',
  },
  'CS-INBOX-7': {
    area: 'inbox',
    says: 'Hostile text in any field of a card runs nothing in the browser, and what is shown reads back as the bytes that are bound.',
  },
  'CS-INBOX-8': {
    area: 'inbox',
    says: 'Hostile text steers no terminal, and what is shown reads back as the bytes that are bound.',
  },
  'CS-INBOX-9': {
    area: 'inbox',
    says: 'Approvers and admins can stop everything in the inbox, in two steps and with a reason; every page says so until an admin lifts it.',
  },
  'CS-INBOX-10': {
    area: 'inbox',
    says: 'Letters, SQL, changes, commands, tables and long texts are shown as such, by the shape of the arguments alone; a view shows all of the bound bytes as text, or is not offered.',
  },
  'CS-INBOX-11': {
    area: 'inbox',
    says: 'Every signed-in user sees who decides here; only admins see when people signed in, who was removed, and tokens.',
  },
  'CS-INBOX-12': {
    area: 'inbox',
    says: 'Admins end all sessions of any person, and people all of their own, at once and on record.',
  },
  'CS-INBOX-13': {
    area: 'inbox',
    says: 'A token can have an end, is worth nothing from then on, and its list says when each was last used.',
  },
  'CS-INBOX-14': {
    area: 'inbox',
    says: 'Admins look after people and tokens on a page that says what each act does before it is done; a token’s secret is shown once.',
  },
  'CS-INBOX-15': {
    area: 'inbox',
    says: 'The record is shown newest first, by person, agent, tool, approval and kind, and holds ids and codes, never arguments.',
  },
  'CS-INBOX-16': {
    area: 'inbox',
    says: 'The page checks every hash and signature of the record when told to; its export verifies without the server.',
  },
  'CS-INBOX-17': {
    area: 'inbox',
    says: 'Stand-ins are set, ended and taken back on the page *People*, by the users who may.',
  },
  'CS-INBOX-18': {
    area: 'inbox',
    says: '`countersign inbox --json` prints one line for each change of what waits, and decides nothing.',
  },
  'CS-INBOX-19': {
    area: 'inbox',
    says: 'The card lists approvers added by an escalation apart from those asked from the start, with when and by what.',
  },
  'CS-INBOX-20': {
    area: 'inbox',
    says: 'A terminal shows a hidden value as the browser does: to users who may see it, on record first, for a moment, and gone with its card.',
  },
  'CS-INBOX-22': {
    area: 'inbox',
    says: 'A list reads what its rows show and nothing else; the list of an agent carries no results, which are under the id of each call.',
  },
  'CS-INBOX-21': {
    area: 'inbox',
    says: 'A line of the list carries at most 500 characters of its question, whatever an agent sent; the card shows all of it, and a search looks through all of it.',
  },
  'CS-INBOX-23': {
    area: 'inbox',
    says: 'A search finds every approval in which each word begins a word of a name or of the question, however long the history is; what was erased or hidden is not searched.',
  },
  'CS-INBOX-31': {
    area: 'inbox',
    says: 'Values from a call stand apart from the words of the policy: boxed in row, headline and second step, in « » in terminal and notices; no value ends its own quotation.',
  },
  'CS-INBOX-32': {
    area: 'inbox',
    says: 'Browser and terminal warn of look-alike letters, hidden characters, text below blank lines, statements that write, and commands that delete folders or run what they download.',
  },
  'CS-INBOX-33': {
    area: 'inbox',
    says: 'A server that stops answering is noticed within ten seconds, also while its stream stays open; the page then says so and decides nothing.',
  },
  'CS-INBOX-34': {
    area: 'inbox',
    says: 'History is narrowed by agent, tool, person, risk, outcome and date, in the address of the page; its numbers and its export are of the same approvals.',
  },
  'CS-INBOX-35': {
    area: 'inbox',
    says: 'Exports of History are masked as the page is, and no cell of the table is a formula.',
  },
  'CS-INBOX-36': {
    area: 'inbox',
    says: 'Insights are counted from the record: each question and its end once, whatever crashes and however many servers count; how a person answers is shown to that person and to admins.',
  },
  'CS-INBOX-37': {
    area: 'inbox',
    says: 'A card lists earlier calls of the same tool with who decided them and how they ended, below everything that is read before a decision.',
  },
  'CS-INBOX-38': {
    area: 'inbox',
    says: 'Filters of inbox and History are saved per person on the server, opened by the palette, and shared as a link that holds the filter; a filter says how many calls it hides.',
  },
  'CS-INBOX-39': {
    area: 'inbox',
    says: 'Settings hold theme, time zone and keys of this browser; every time on the pages, and where days begin in History, follows the time zone that was chosen.',
  },
  'CS-INBOX-40': {
    area: 'inbox',
    says: 'A terminal shows messages, statements, changes, commands and tables as what they are, every line behind a bar; nothing is cut, and what an eye would miss is written out.',
  },
  'CS-INBOX-41': {
    area: 'inbox',
    says: 'Reasons that a policy offers are chosen in the browser and in the terminal, for a no or a yes, and recorded as their text; no agent words them.',
  },
  'CS-INBOX-45': {
    area: 'inbox',
    says: 'The inbox speaks English and German, changed without a reload; every catalogue has every text of the pages, and nothing from calls, tools, agents or policies is translated.',
  },
  'CS-INBOX-46': {
    area: 'inbox',
    says: 'Why a person may not decide, what a rule asks of a value and why a decision was refused are said in the language of the page; the server sends codes with values.',
  },
  'CS-INBOX-47': {
    area: 'inbox',
    says: 'Lines of a patch have the numbers they have in the file before and after, and the words that changed are marked; no character of the patch is lost by it.',
  },
  'CS-INBOX-42': {
    area: 'inbox',
    says: 'Cards and lists carry the names of the people who are asked and who decided, of accounts whose address is vouched for alone, and the names that people gave to rules.',
  },
  'CS-CHAT-1': {
    area: 'chat',
    says: 'A conversation is found by its own person and by no other, admins included.',
  },
  'CS-CHAT-2': {
    area: 'chat',
    says: 'The server keeps the history of a chat: results, answers and approvals that a page sends are refused, and change nothing.',
  },
  'CS-CHAT-3': {
    area: 'chat',
    says: 'What a model writes in the chat is shown as text and code: no link can be followed and nothing is loaded.',
  },
  'CS-CHAT-4': {
    area: 'chat',
    says: 'A chat call that reaches a server with a gate of its own is asked about once, by a countersignature that fits no other call.',
  },
  'CS-MODEL-1': {
    area: 'chat',
    says: 'A model of an OpenAI-compatible server, of Anthropic or of Google streams in the chat; its calls are asked about, and it reads their results.',
  },
  'CS-MODEL-2': {
    area: 'chat',
    says: 'A model server that is down, silent or refuses the key ends the turn with a sentence that says so; the conversation goes on, and no answer, log or stored message holds the key.',
  },
  'CS-MODEL-3': {
    area: 'chat',
    says: 'Only admins enter servers of models; a key is sealed at rest, never shown or recorded, and sent to its address alone, which is a public one unless the operator allows it.',
  },
  'CS-CHAT-5': {
    area: 'chat',
    says: 'A yes in the chat is spent by the one call it was given to, whatever ids a model gives its calls, and by none of a person who may no longer chat.',
  },
  'CS-CHAT-6': {
    area: 'chat',
    says: 'A conversation answers one message at a time, from the moment it is sent; a person has so many answers and conversations and no more, and they go when the person is removed.',
  },
  'CS-CHAT-7': {
    area: 'chat',
    says: 'A chat page that lost its connection shows by itself what the server has on record, and gives a message back that did not arrive.',
  },
  'CS-CHAT-8': {
    area: 'chat',
    says: 'Conversations and model servers are kept the same on every store; a conversation can be read, and its questions answered, at every server on that database.',
  },
  'CS-CHAT-9': {
    area: 'chat',
    says: 'A new conversation suggests prompts only where the sample tools are; elsewhere it lists the tools that the model can call and what a call gets, or says where tools come from.',
  },
  'CS-CONNECT-1': {
    area: 'chat',
    says: 'The page about connecting an agent makes a token on the spot, fills it into working snippets, and shows the first call of that agent.',
  },
})
