import { from } from './promised.ts'

/** What the page about tool confirmation says, as far as the gate itself keeps it. */
export const ADK_RS = from('adk-rs', {
  'AR-1': {
    area: 'answers',
    says: 'A tool that asks for approval never runs on the word of the model alone, whatever its arguments claim.',
  },
  'AR-4': {
    area: 'running',
    says: 'Only an explicit yes starts the call as it was asked for, and starts it once.',
    differs:
      'In adk-rs once means within one invocation; here it means once per approval, in however many processes.',
  },
  'AR-10': {
    area: 'answers',
    says: 'Validation, policy and locks come before people, so that nobody is asked about a call that would be refused anyway.',
    differs: 'In adk-rs confirmation comes before authorization, and a person may approve in vain.',
  },
  'AR-19': {
    area: 'answers',
    says: 'The person is shown the question together with the original arguments.',
  },
  'AR-22': {
    area: 'answers',
    says: 'An answer that names no waiting approval and its call decides nothing.',
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
    says: 'After a no the tool has not run, and the model is told that a person said so.',
  },
  'AR-28': {
    area: 'running',
    says: 'Data an approver attaches reaches the tool beside its arguments and never inside them.',
  },
  'AR-29': {
    area: 'running',
    says: 'The answer may come in a later run and the call be resumed by another process.',
  },
})
