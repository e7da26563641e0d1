import { from } from '../promised.ts'

/** What the page about human-in-the-loop approval says, as far as the policy itself keeps it. */
export const SPRING_AI_PLAYGROUND = from('Spring AI Playground', {
  'SP-3': {
    area: 'asking',
    says: 'A tool has one declaration: `humanInTheLoop` beside `approval` is refused.',
  },
  'SP-4': {
    area: 'asking',
    says: '`humanInTheLoop` holds a `mode`, `REQUIRED` or `DISABLED`, and optionally a `promptTemplate`.',
  },
  'SP-5': {
    area: 'asking',
    says: '`humanInTheLoop` may be left out, and then it asks for nothing.',
  },
  'SP-6': {
    area: 'asking',
    says: '`mode: REQUIRED` asks about every call, in-process and over MCP alike.',
    differs:
      'A person can answer equal calls in advance with a grant, and a no answers them until `remember_no` ends; `grants: false` and `remember_no: call` ask every time.',
  },
  'SP-7': {
    area: 'asking',
    says: '`mode: DISABLED` asks about no call, in-process and over MCP alike, unless governance does.',
    differs:
      'In Spring AI Playground DISABLED is final; here it is the owner’s word, and governance stands above it.',
  },
  'SP-8': {
    area: 'asking',
    says: 'Any other `mode` is refused when the file loads.',
    differs: 'In Spring AI Playground any other value silently switches asking off.',
  },
  'SP-9': {
    area: 'questions',
    says: 'In a `promptTemplate`, `{toolName}` and `{args}` are filled in at call time; nowhere else do single braces mean anything.',
  },
  'SP-10': {
    area: 'questions',
    says: "The default question of an approval is `Run '{{tool_name}}' with arguments {{tool_args}}?`, whatever the door its call came through.",
    differs:
      'A session of the Google ADK shows the hint that ADKs have, beside the call with its arguments: AR-9. The approval behind it has the default question.',
  },
  'SP-22': {
    area: 'servers',
    says: 'Nothing is expected of a foreign server: its tools are asked about until the owner says otherwise.',
    differs:
      'In Spring AI Playground a foreign tool is asked about only after a user ticked a box.',
  },
  'SP-21': {
    area: 'studio',
    says: 'The author of a tool sets in the studio whether people are asked; publishing serves it at `/mcp` already gated.',
  },
  'SP-24': {
    area: 'servers',
    says: 'The inbox switch of a tool turns asking on or off for that tool of that server.',
  },
  'SP-26': {
    area: 'servers',
    says: 'A tool of a foreign server follows the same declarations, with the same meaning, as a tool of your own.',
  },
  'SP-30': {
    area: 'servers',
    says: 'Rules are found by the exact name of the tool, and a tool in-process and one of a server never share a rule.',
  },
  'SP-55': {
    area: 'risk',
    says: 'A tool with a risk and no declaration runs freely at L0 and is asked about above L0; so is a new tool of the studio.',
  },
  'SP-57': {
    area: 'risk',
    says: 'Asking about a tool never lowers its risk.',
    differs:
      'Spring AI Playground shows one level less once a person is asked; a risk that a tick can lower is no measure of what a tool can do.',
  },
  'SP-58': {
    area: 'risk',
    says: 'Risk is advice: a declaration outranks it in the owner’s file, while governance may match on it.',
  },
  'SP-1': {
    area: 'answers',
    says: 'A single call is held before it runs and waits for a person, while other calls go on.',
  },
  'SP-2': {
    area: 'answers',
    says: 'Asking is the last step before a call runs: everything that could refuse it comes before.',
  },
  'SP-11': {
    area: 'answers',
    says: 'A call that needs approval asks every time, for every caller and however it is run.',
    differs:
      'Calls that a grant covers or a remembered no answers are not asked about again; the record says which did.',
  },
  'SP-12': {
    area: 'answers',
    says: 'A call that needs approval runs only after a person has explicitly approved it.',
    headline: true,
  },
  'SP-13': {
    area: 'outcomes',
    says: 'Without an answer in time, the call does not run.',
  },
  'SP-14': {
    area: 'outcomes',
    says: 'A caller that stops waiting withdraws its question, and the call does not run.',
  },
  'SP-15': {
    area: 'outcomes',
    says: 'Something that fails while people are told about a question never makes its call run.',
  },
  'SP-17': {
    area: 'outcomes',
    says: 'Any error while asking means that the call does not run, and that the caller is told instead of getting an exception.',
  },
  'SP-18': {
    area: 'outcomes',
    says: 'Everything other than a yes means that the call does not run.',
    headline: true,
  },
  'SP-19': {
    area: 'outcomes',
    says: 'The model is told about every call that did not run, in words that keep it from quietly calling again.',
  },
  'SP-20': {
    area: 'proof',
    says: 'A call that people approved at one gate is not asked about again at the next one that gets its countersignature, which the MCP gateway hands on by itself.',
    differs:
      'In Spring AI Playground the inner gate steps aside for callers it knows by name; here it does for a signed proof of this very call. SDK adapters hand none on: a tool that calls another gate does, or both ask.',
    headline: true,
  },
  'SP-32': {
    area: 'proof',
    says: 'Two gates never both ask about one call where the outer one hands its countersignature on.',
  },
  'SP-35': {
    area: 'running',
    says: 'After a yes the call runs as it would have without a gate, and its result comes back.',
  },
  'SP-36': {
    area: 'outcomes',
    says: 'After a no the model reads that a person denied the call, that it did not run, and not to call it again for this request.',
  },
  'SP-29': {
    area: 'chat',
    says: 'Every call of the chat, of a sample tool or of an MCP server, goes through one loop on the server and through the gate.',
  },
  'SP-33': {
    area: 'chat',
    says: 'A call in the chat that needs the person who chats opens a dialog with the question, the exact arguments, the risk and why it is asked.',
  },
  'SP-34': {
    area: 'chat',
    says: 'The chat asks with its own dialog and with no elicitation; the answer counts as one of a signed-in person.',
  },
  'SP-61': {
    area: 'chat',
    says: 'The inbox has a chat page with that dialog: approve, deny with a reason, edit where the policy allows it, and close.',
  },
  'SP-37': {
    area: 'running',
    says: 'One denied call of a batch keeps none of the others from running.',
  },
  'SP-38': {
    area: 'outcomes',
    says: 'A caller waits as long as the gate, the call or the policy says, and then withdraws.',
    differs:
      'In Spring AI Playground the wait in chat is two minutes; how long people take is for the owner to say.',
  },
  'SP-39': {
    area: 'running',
    says: 'Outcomes of a batch stand in the order of its calls, whatever the order of answers; so does what the model reads of one turn, behind every SDK.',
    differs:
      'The AI SDK and the OpenAI Agents SDK write the conversation themselves and put what waited last; they keep the order with `prepareStep: inCallOrder` and `callModelInputFilter: inCallOrder`.',
  },
  'SP-16': {
    area: 'servers',
    says: 'A client that cannot show questions is answered from the inbox; where there is none either, the call is refused.',
    differs: 'In Spring AI Playground such a client is refused at once.',
  },
  'SP-23': {
    area: 'servers',
    says: 'A foreign tool is offered through the gate alone, never as it is.',
  },
  'SP-41': {
    area: 'servers',
    says: 'A client that did not say it can show questions is shown none.',
  },
  'SP-42': {
    area: 'servers',
    says: 'A yes in the client runs the call; decline gives an error result, cancel leaves the question to the inbox, and in neither case does the call run.',
    differs:
      'In Spring AI Playground cancel is an error as well; here a program that cannot show questions and closes them takes nothing away from people who can see them.',
  },
  'SP-44': {
    area: 'servers',
    says: 'The question in the client is a plain yes or no: its form has one required field, approve or deny.',
    differs:
      'In Spring AI Playground the form is empty, which some clients accept without showing it to a person.',
  },
  'SP-45': {
    area: 'servers',
    says: 'The gate comes before the server: its handler is reached after a yes only.',
  },
  'SP-47': {
    area: 'servers',
    says: 'A foreign server hears nothing of a call before it is approved.',
  },
  'SP-48': {
    area: 'servers',
    says: 'A denied call never leaves the machine, and the model reads that it was denied.',
  },
  'SP-27': {
    area: 'servers',
    says: 'Secrets given to a foreign server are hidden in what it answers, and every call to it is logged without its arguments.',
  },
  'SP-52': {
    area: 'servers',
    says: 'A foreign tool takes the same path for every caller: first the approval, then the call is forwarded.',
  },
  'SP-40': {
    area: 'proof',
    says: 'A call that comes from another gate of ours passes when it brings that gate’s countersignature.',
    differs: 'In Spring AI Playground it passes when the client says it is the loopback client.',
  },
  'SP-49': {
    area: 'proof',
    says: 'After a yes at the outer gate the call goes through the inner one to the tool, and its result comes back the same way.',
  },
  'SP-53': {
    area: 'proof',
    says: 'A client’s name, address or headers never let a call pass a gate.',
    differs: 'In Spring AI Playground a client’s name does.',
  },
  'SP-54': {
    area: 'proof',
    says: 'Every caller without a countersignature for this very call is asked about.',
  },
  'SP-50': {
    area: 'servers',
    says: 'The result of a tool behind a gate is handled like any other result.',
  },
  'SP-25': {
    area: 'servers',
    says: 'What foreign tools say of themselves is kept apart from the tools of the policy file, and outlives a restart.',
    differs:
      'In Spring AI Playground it is not kept, so that a tool may change unnoticed from one start to the next.',
  },
  'SP-28': {
    area: 'servers',
    says: 'How people are asked depends on the way a call comes in, never on the kind of tool it is for.',
  },
  'SP-31': {
    area: 'servers',
    says: 'A client at `/mcp` that can show questions is asked by elicitation.',
  },
  'SP-43': {
    area: 'servers',
    says: 'A client that fails while it shows a question gives no answer, and the call does not run.',
    differs:
      'In Spring AI Playground the call is denied; here the question stays open in the inbox, and is refused where there is none.',
  },
  'SP-46': {
    area: 'servers',
    says: 'A tool the policy does not ask about goes straight to its server, without a question or an approval.',
  },
  'SP-51': {
    area: 'servers',
    says: 'The log has a line for each call to a server with its risk, and neither log nor result show the server’s secrets.',
  },
  'SP-56': {
    area: 'servers',
    says: 'Asking less than before has to be confirmed by the person who switches it.',
  },
  'SP-59': {
    area: 'studio',
    says: 'The studio has the mode, REQUIRED or DISABLED, and the question of a tool beside what it may reach.',
  },
  'SP-60': {
    area: 'inbox',
    says: 'The page of tools shows for each tool whether people are asked about it, and switches that.',
  },
  'SP-62': {
    area: 'inbox',
    says: 'A user who tries a tool in the inbox sees the question that a client of `/mcp` would show.',
  },
})
