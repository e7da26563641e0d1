import { from } from '../promised.ts'

/** What the page about tool confirmation says. In JavaScript its words are written in camelCase. */
export const ADK_RS = from('adk-rs', {
  'AR-1': {
    area: 'answers',
    says: 'A tool that asks for approval never runs on the word of the model alone, whatever its arguments claim.',
  },
  'AR-2': {
    area: 'answers',
    says: 'In place of the result an ADK agent emits a function response named `adk_request_confirmation`, and the invocation pauses.',
    differs:
      'The request of ADK JS itself, a function call of that name, stays beside it: without it the ADK could not go on.',
  },
  'AR-3': {
    area: 'answers',
    says: 'An ADK application shows the hint, and sends the decision back as a function response.',
  },
  'AR-4': {
    area: 'running',
    says: 'Only an explicit yes starts the call as it was asked for, and starts it once.',
    differs:
      'In adk-rs once means within one invocation; here it means once per approval, in however many processes.',
  },
  'AR-5': {
    area: 'asking',
    says: '`requireConfirmation` on an ADK tool asks about every call of it.',
  },
  'AR-6': {
    area: 'asking',
    says: 'An ADK tool whose `requireConfirmation` is false does not ask by itself.',
    differs: 'Policy may still ask about it: what code does not ask for, files can.',
  },
  'AR-7': {
    area: 'asking',
    says: '`requireConfirmation` may be a function of the arguments and the context of the call, and asks about the calls it says yes to.',
  },
  'AR-8': {
    area: 'asking',
    says: 'An ADK tool that says nothing about confirmation does not ask by itself.',
  },
  'AR-9': {
    area: 'questions',
    says: 'A tool may have a hint of its own; otherwise the hint in the session is `Approve execution of tool {name}?`, beside the call with its arguments.',
  },
  'AR-10': {
    area: 'answers',
    says: 'A call is confirmed first, then its tool asks for credentials, and then it runs; validation, policy and locks come before all of it, so that no question is asked in vain.',
    differs:
      'ADK JS raises no request for credentials after one of its own pauses: a tool that needs both is guarded with `mode: block`.',
  },
  'AR-11': {
    area: 'answers',
    says: 'The pending function response of an ADK agent has the id of the call it is about.',
  },
  'AR-12': {
    area: 'answers',
    says: 'The pending function response says that it will continue.',
  },
  'AR-13': {
    area: 'answers',
    says: 'The pending function response holds `originalFunctionCall` and `toolConfirmation`, in camelCase.',
  },
  'AR-14': {
    area: 'answers',
    says: '`originalFunctionCall` is the id, the name and the arguments of the call.',
  },
  'AR-15': {
    area: 'answers',
    says: '`toolConfirmation` in a request is the hint and `confirmed: false`; without a payload there is no key for one.',
  },
  'AR-16': {
    area: 'answers',
    says: 'The event that pauses lists the ids of the waiting calls as long-running.',
  },
  'AR-17': {
    area: 'answers',
    says: 'The event that pauses lists the confirmations that are requested, by the ids of their calls.',
  },
  'AR-18': {
    area: 'answers',
    says: 'While a call of an ADK agent waits, its model is not asked for another turn.',
  },
  'AR-19': {
    area: 'answers',
    says: 'The person is shown the question together with the original arguments.',
  },
  'AR-20': {
    area: 'answers',
    says: 'An ADK answer is a function response of the user: the id of the call, the name `adk_request_confirmation`, `confirmed`, and an optional `payload`.',
    differs:
      'It counts where one confirmation is asked for and the application has authenticated the user; otherwise the call waits for the inbox.',
  },
  'AR-21': {
    area: 'answers',
    says: 'An ADK answer is read bare, inside of `toolConfirmation`, or inside of `response`.',
    differs:
      'JSON as text inside of `response` is read as well, because front ends of ADK JS send it.',
  },
  'AR-22': {
    area: 'answers',
    says: 'An answer that names no waiting approval and its call decides nothing; without an id it is dropped with a warning.',
  },
  'AR-23': {
    area: 'answers',
    says: '`confirmed: true` alone is a whole answer, and an empty answer is a no.',
  },
  'AR-24': {
    area: 'answers',
    says: 'Several answers may come in one message; they are read in order, and the last one for a call counts.',
  },
  'AR-25': {
    area: 'running',
    says: 'Only the agent that asked can run what was approved.',
  },
  'AR-26': {
    area: 'running',
    says: 'The tool that runs is handed the approval it runs on.',
  },
  'AR-27': {
    area: 'outcomes',
    says: 'After a no the tool has not run, and the model is told so; behind an ADK it reads `{"error": "tool call was rejected by the user"}`.',
    differs: 'A no from the inbox comes with a sentence beside it, which has the reason.',
  },
  'AR-28': {
    area: 'running',
    says: 'Data an approver attaches reaches the tool beside its arguments and never inside them.',
  },
  'AR-29': {
    area: 'running',
    says: 'The answer may come in a later run and the call be resumed by another process.',
  },
  'AR-30': {
    area: 'running',
    says: 'An ADK application sends the answer and never runs the tool itself.',
  },
  'AR-31': {
    area: 'servers',
    says: 'A toolset of an ADK agent asks about none, all or the named of its tools.',
    differs: 'Under the alias of a server the policy file decides instead.',
  },
  'AR-32': {
    area: 'servers',
    says: 'A toolset without a confirmation policy does not ask by itself.',
    differs: 'Policy may still ask about its tools, as about any others.',
  },
  'AR-33': {
    area: 'servers',
    says: 'A toolset that asks about named tools asks about those alone.',
  },
  'AR-34': {
    area: 'servers',
    says: 'What a toolset asks about is said when it is guarded, before it lists, and cannot be changed afterwards.',
    differs: 'Tools that appear later are covered like the others; in adk-rs they are found once.',
  },
})
