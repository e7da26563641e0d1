import { from } from '../promised.ts'

/** What the page about human-in-the-loop patterns says, as far as the gate itself keeps it. */
export const CLOUDFLARE_AGENTS = from('Cloudflare Agents', {
  'CF-1': {
    area: 'workflows',
    says: 'Each pattern, from durable workflows to MCP elicitation, has a door with a guide, and every import that the guides of workflows name exists.',
  },
  'CF-2': {
    area: 'workflows',
    says: 'The guide decides in the order of the page: steps that must survive a crash are a workflow, then MCP, then a model that chooses the call, and only then plain code.',
    differs: 'A tool of the browser is not gated: nothing here sees it run, and the guide says so.',
  },
  'CF-37': {
    area: 'servers',
    says: 'Elicitation is for MCP servers that offer tools; no gate of an agent that calls tools elicits.',
  },
  'CF-3': {
    area: 'workflows',
    says: '`waitForApproval` pauses a durable workflow until people approve or deny, or the time ends.',
  },
  'CF-4': {
    area: 'workflows',
    says: 'Steps of a workflow before the wait ran once and are not repeated after it.',
  },
  'CF-14': {
    area: 'workflows',
    says: 'A workflow whose question was not answered in time reads that it expired, and can ask others or end.',
  },
  'CF-6': {
    area: 'workflows',
    says: 'Before a workflow of `ApprovalWorkflow` waits, it reports `{ step: "approval", status: "pending", message }` once; the agent’s `onWorkflowProgress` gets it, also across restarts.',
  },
  'CF-7': {
    area: 'workflows',
    says: 'An `ApprovalAgent` lists what its workflows wait for, from what they report, with the workflow, the question, since when and until when; no client can write into the list.',
  },
  'CF-11': {
    area: 'workflows',
    says: 'Callable methods of an agent approve and reject for the user who is signed in there; reaching the agent, naming oneself in an argument, and code of the agent itself decide nothing.',
    differs:
      'In Cloudflare Agents everyone who reaches the method decides, under the name they give.',
  },
  'CF-15': {
    area: 'workflows',
    says: 'After a yes the workflow reports its result with the SDK’s own `reportComplete`; the agent gets it, and the page of the run shows it.',
  },
  'CF-16': {
    area: 'workflows',
    says: 'Progress, completion and errors are reported by the SDK’s own calls, apart from the steps, and repeat none of them.',
  },
  'CF-46': {
    area: 'workflows',
    says: 'Expenses, publishing, bulk deletion and permission grants are workflows of an example that runs.',
  },
  'CF-5': {
    area: 'running',
    says: 'The caller that waits for an approval gets what the approver attached to it.',
  },
  'CF-8': {
    area: 'running',
    says: 'An approval is given by its id, from anywhere, and lets the waiting call go on.',
  },
  'CF-9': {
    area: 'outcomes',
    says: 'A denial is given by its id with a reason, and nothing of the call runs.',
  },
  'CF-12': {
    area: 'outcomes',
    says: 'How long a caller waits is written as `30 minutes`, `24h` or `7 days`.',
  },
  'CF-13': {
    area: 'outcomes',
    says: 'When time runs out, the call does not run and the caller is told that it expired.',
    differs:
      'The page of Cloudflare Agents says that a workflow continues without approval data; going on without an answer is what asking is meant to prevent.',
  },
  'CF-17': {
    area: 'asking',
    says: '`needsApproval` of a tool always asks when it is `true`, asks by arguments when it is a function, and does not ask when it is absent and no file asks.',
  },
  'CF-18': {
    area: 'answers',
    says: 'A function of yours that decides whether to ask gets the arguments and may take its time.',
  },
  'CF-19': {
    area: 'answers',
    says: 'In a chat a call that waits is a part in the state `approval-requested`, with an id to answer it by.',
  },
  'CF-20': {
    area: 'questions',
    says: 'The chat’s card shows the tool and every argument of the call that waits.',
  },
  'CF-21': {
    area: 'answers',
    says: 'An answer names the approval and the digest of the call that was shown, never just the tool.',
    differs:
      'In Cloudflare Agents the id alone is enough, so an answer can land on a changed call.',
  },
  'CF-22': {
    area: 'outcomes',
    says: 'A denied call ends as `output-denied` in the chat.',
    differs:
      'In Cloudflare Agents the model reads one fixed text; here it reads that a person denied it, why, and not to call it again.',
  },
  'CF-23': {
    area: 'outcomes',
    says: 'The caller gets what the approved tool returned.',
  },
  'CF-24': {
    area: 'outcomes',
    says: 'After a denial in the chat the conversation goes on by itself, so that the model reads it.',
  },
  'CF-25': {
    area: 'outcomes',
    says: 'What a person writes with a denial reaches the model: the reason, or an answer instead of a result.',
  },
  'CF-26': {
    area: 'outcomes',
    says: 'A text of one’s own in place of a result ends the call without running it, and the conversation waits for the next message.',
  },
  'CF-27': {
    area: 'outcomes',
    says: 'A page can end a call with an output of its own while it waits for one, for an answer, or after an answer; the call does not run by it.',
  },
  'CF-28': {
    area: 'running',
    says: 'A loop that the application bounds by a number of steps stays bounded by it over every pause, with `isTurnStepCount`; going on makes one step in any case.',
  },
  'CF-30': {
    area: 'outcomes',
    says: 'What a client says that its own tool gave reaches the agent, and the conversation goes on by itself if that is wanted.',
  },
  'CF-29': {
    area: 'asking',
    says: 'A tool that the client runs itself passes the gate only where policy allows every call of it.',
    differs:
      'In Cloudflare Agents any tool can be left to the client; what runs there cannot be held here.',
  },
  'CF-31': {
    area: 'asking',
    says: '`needsApproval` of a tool of the OpenAI Agents SDK gets the run’s context and the arguments, and its yes asks a person.',
  },
  'CF-10': {
    area: 'answers',
    says: 'What was decided is no longer in the list of what waits.',
  },
  'CF-35': {
    area: 'answers',
    says: 'A `confirm` argument that the model fills in confirms nothing.',
    differs:
      'The page of Cloudflare Agents uses such an argument as a first gate; a caller that is to be held back must not hold the key.',
  },
  'CF-38': {
    area: 'answers',
    says: 'What waits is listed with its id, what would run, who asked, since when and until when.',
  },
  'CF-41': {
    area: 'answers',
    says: 'Where several people must agree, the record tells how many, who said yes and when, and who said no and why.',
  },
  'CF-44': {
    area: 'answers',
    says: 'Asking makes an id that cannot be guessed, and the call waits from then on.',
  },
  'CF-39': {
    area: 'answers',
    says: 'Each decision is kept with who made it, when, about which exact call, and why.',
  },
  'CF-40': {
    area: 'answers',
    says: 'What was decided stays in the record after the call is over.',
  },
  'CF-42': {
    area: 'answers',
    says: 'An unknown id is refused as `approval_not_found`.',
  },
  'CF-43': {
    area: 'answers',
    says: 'A call that needs several people runs when enough of them said yes, and only once.',
    differs:
      'In the example of Cloudflare Agents one person can count twice and each further yes runs the action again.',
  },
  'CF-45': {
    area: 'outcomes',
    says: 'Reminders and escalations come when their time has come, without the caller doing anything.',
  },
  'CF-32': {
    area: 'servers',
    says: 'A tool of your own MCP server can ask its user for structured input with `ask`.',
  },
  'CF-33': {
    area: 'servers',
    says: 'What a tool asks for is a flat JSON Schema that the client shows as a form.',
  },
  'CF-34': {
    area: 'servers',
    says: 'Anything but accepted input leaves the tool with nothing, and it says so in plain text that is no error.',
  },
  'CF-36': {
    area: 'servers',
    says: 'Input that was declined or cancelled is never taken for input.',
  },
})
