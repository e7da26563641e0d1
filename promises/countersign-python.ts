import { from } from './promised.ts'

/** What programs in Python can rely on. */
export const COUNTERSIGN_PYTHON = from('Countersign', {
  'CS-PY-1': {
    area: 'running',
    says: 'A Python function behind the gate runs with exactly the arguments that people approved, or not at all, and returns its own result.',
  },
  'CS-PY-2': {
    area: 'running',
    says: 'In Python, a tool runs at most once for one run and key, whichever process or server is killed in between; what a killed process had started counts as unknown.',
  },
  'CS-PY-3': {
    area: 'outcomes',
    says: 'A Python gate runs a call by a whole answer of its server alone, and its token goes to no other address.',
  },
  'CS-PY-4': {
    area: 'calls',
    says: 'Arguments of Python reach people and the tool exactly; numbers, texts and objects that JSON cannot hold exactly are refused with their place.',
  },
  'CS-PY-5': {
    area: 'answers',
    says: 'A Python program that gives up, is cancelled or interrupted withdraws its question, so that a later yes runs nothing.',
  },
  'CS-PY-6': {
    area: 'modes',
    says: 'What a Python program declares, and the mode of its gate, can only tighten the policy of the server.',
  },
})
