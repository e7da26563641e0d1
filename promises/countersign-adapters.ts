import { from } from './promised.ts'

/** What holds in front of every agent SDK, whatever the SDK itself believes. */
export const COUNTERSIGN_ADAPTERS = from('Countersign', {
  'CS-SDK-1': {
    area: 'running',
    says: 'Behind every SDK the approvals decide whether a call runs; message histories, run states and the SDK’s own yes decide nothing.',
  },
  'CS-SDK-2': {
    area: 'running',
    says: 'A replayed, raced or resumed turn runs its approved calls once, in however many processes.',
  },
  'CS-SDK-3': {
    area: 'answers',
    says: 'An answer given in the chat counts only for a confirmation, and only from a person the application has authenticated.',
  },
  'CS-SDK-4': {
    area: 'outcomes',
    says: 'In every SDK the model reads a full sentence for a call that did not run, and the run goes on.',
  },
  'CS-SDK-5': {
    area: 'asking',
    says: 'What code declares for a tool and what the file says count together: the stricter answer wins.',
  },
  'CS-SDK-6': {
    area: 'asking',
    says: 'A function in code that changes its mind cannot undo a question: once people were asked about a call, their answer counts.',
  },
  'CS-SDK-7': {
    area: 'asking',
    says: 'A tool that runs somewhere else and that policy would not always allow is refused when it is wrapped.',
  },
  'CS-SDK-8': {
    area: 'running',
    says: 'A paused turn goes on only when every gated call in it is decided.',
  },
  'CS-SDK-12': {
    area: 'asking',
    says: 'What code declares with a guarded tool counts for that tool’s calls, whatever others of its name say; of several declarations for one name by `gate.declare` the strictest counts.',
  },
  'CS-SDK-13': {
    area: 'asking',
    says: 'An SDK’s own approval function that cannot be given its context asks whenever it wants to know more than the arguments.',
  },
  'CS-SDK-14': {
    area: 'running',
    says: 'Agents that share a gate share no tools: each call is asked about and run with its own; tools that are guarded again belong to the new run, or are refused.',
  },
  'CS-SDK-15': {
    area: 'running',
    says: 'No tool result is read as a mark of an adapter or as a sentence of the gate, whatever it looks like; the model reads it as it is.',
  },
  'CS-RESULT-1': {
    area: 'outcomes',
    says: 'A result reaches the model as its tool shows it, also where it reads like one of our sentences or a person changed the call; the note about that stands beside it.',
  },
  'CS-RESULT-2': {
    area: 'outcomes',
    says: 'Arguments that a person changed so that they no longer fit the tool never reach it, and the record says that the call was not started.',
  },
  'CS-HANDOVER-1': {
    area: 'delegation',
    says: 'Work is handed to another agent once for each yes, with the arguments that were approved; where an SDK cannot hand over what a person changed, nothing is handed over.',
  },
  'CS-ADK-1': {
    area: 'delegation',
    says: 'An ADK agent used as a tool is no bypass: the tools it can call are guarded with it, and block while they wait.',
  },
  'CS-ADK-2': {
    area: 'running',
    says: 'When one call of an ADK agent pauses, the results of the calls beside it still reach the model, as callbacks left them.',
  },
  'CS-ADK-3': {
    area: 'answers',
    says: 'An ADK answer that decides nothing leaves the turn paused: no model is asked, and the question can still be answered.',
  },
  'CS-ADK-4': {
    area: 'asking',
    says: 'Where several ADK agents have tools of one name, each asks as it was written, and none loosens another.',
  },
  'CS-ADK-6': {
    area: 'answers',
    says: 'A tool of the ADK that asks by itself gets the answer to its own question and no other; what people decide about the call is no answer to it.',
  },
  'CS-ADK-5': {
    area: 'asking',
    says: 'Where the ADK has no pause that holds, in sequences, loops, live runs and nodes of workflows, a guarded call blocks until it is decided.',
  },
  'CS-SDK-9': {
    area: 'running',
    says: 'The adapter of the Vercel AI SDK holds calls in Cloudflare Workers too, inside `AIChatAgent`, also while its object sleeps or is restarted.',
  },
  'CS-AISDK-1': {
    area: 'asking',
    says: 'Where an application uses the AI SDK’s own `toolApproval` beside the gate, both must say yes: a no in the messages stays a no, and a call without an answer waits.',
  },
  'CS-AISDK-2': {
    area: 'asking',
    says: '`needsApproval` of an AI SDK tool belongs to that tool and sees history, call id and context, when a call pauses and again where it would run; a function that fails asks.',
  },
  'CS-AISDK-3': {
    area: 'running',
    says: 'AI SDK tools that are guarded again belong to the new chat or gate: nothing runs there on a yes of the first.',
  },
  'CS-AISDK-4': {
    area: 'servers',
    says: 'Tools of the AI SDK’s MCP client are judged by the rules of their server when it is named.',
  },
  'CS-AISDK-5': {
    area: 'outcomes',
    says: 'A chat with approved, edited, denied and expired calls is one that `validateUIMessages` of the AI SDK accepts.',
  },
  'CS-AISDK-6': {
    area: 'outcomes',
    says: 'Behind the AI SDK a call that did not run ends as a tool error, and an edited one keeps its output’s type and goes through `toModelOutput`; no refusal is recognised by its words.',
  },
  'CS-AISDK-8': {
    area: 'running',
    says: 'With `guardMcpTools` and `carryProofs` an MCP server with a gate of its own asks no one again; without the proof of that very call it asks.',
  },
  'CS-AISDK-7': {
    area: 'running',
    says: 'With `prepareStep: inCallOrder` the model behind the AI SDK reads the results of a resumed turn in the order of its calls.',
  },
  'CS-AISDK-9': {
    area: 'asking',
    says: 'With `forSubagent` each AI SDK sub-agent has questions of its own, whatever ids its model chooses; a `toolApproval` in there takes none of them away.',
  },
  'CS-AISDK-10': {
    area: 'running',
    says: 'A call of the AI SDK’s `WorkflowAgent` passes the gate in a step; a repeated step runs nothing again, and a tool that the step does not guard never runs.',
  },
  'CS-GRAPH-1': {
    area: 'running',
    says: 'In a node of a graph that is run again after a pause no call runs twice: what was approved gives its first result, and calls that need no approval start when none is left waiting.',
  },
  'CS-GRAPH-2': {
    area: 'answers',
    says: 'What a paused graph or run is resumed with decides nothing here, and never answers a question that a tool asks by itself.',
  },
  'CS-SDK-10': {
    area: 'questions',
    says: 'The card for React shows a call that people were asked about as the approvals know it and never as the page’s messages tell it, and it decides nothing by itself.',
  },
  'CS-SDK-11': {
    area: 'asking',
    says: 'What code declares for its tools is visible to people: `policy explain --registered` and the server count it beside the files.',
  },
  'CS-SDK-16': {
    area: 'questions',
    says: 'In a thread of assistant-ui the card shows a call as the approvals know it, and an answer given there counts for what the card showed, from the person who may give it.',
  },
  'CS-STRANDS-1': {
    area: 'running',
    says: 'A Strands agent is interrupted for a call that waits, what it is resumed with decides nothing, and interrupts of tools and interventions stay their own and ask beside the gate.',
  },
  'CS-GENKIT-1': {
    area: 'running',
    says: 'A turn of Genkit is interrupted for a call that waits, what it is restarted with decides nothing, and a guarded tool that does not know which call it serves runs nothing.',
  },
  'CS-VOLT-1': {
    area: 'running',
    says: 'A VoltAgent tool that does not know which call it serves runs nothing; for one that did not run the model reads a sentence and nothing of its approval.',
  },
  'CS-MASTRA-1': {
    area: 'delegation',
    says: 'A Mastra agent asks before it hands work to a sub-agent; without a yes nothing is handed over, and the model reads why.',
  },
  'CS-CLAUDE-1': {
    area: 'asking',
    says: 'In front of the Claude Agent SDK every tool is asked about, also where `allowedTools`, a permission mode or `canUseTool` would let it run; what goes wrong there blocks.',
  },
  'CS-CLAUDE-2': {
    area: 'running',
    says: 'How a call ended that Claude Code ran is on record; where it does not say, the outcome is unknown, and the call does not run again.',
  },
  'CS-CLAUDE-3': {
    area: 'running',
    says: 'A deferred call of the Claude Agent SDK goes on in any process, once; of the calls of a turn one is deferred and the others wait, so that none is lost.',
  },
  'CS-CLAUDE-4': {
    area: 'asking',
    says: 'No other hook of the application puts arguments into a Claude Agent SDK call that the approver was not shown.',
  },
})
