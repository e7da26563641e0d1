import { from } from './promised.ts'

/** What our own design adds about asking, answering and running. */
export const COUNTERSIGN_GATE = from('Countersign', {
  'CS-GATE-1': {
    area: 'running',
    says: 'An approval starts its call at most once, however many processes try.',
    headline: true,
  },
  'CS-GATE-2': {
    area: 'running',
    says: 'What was shown is what runs: the tool gets a fresh copy of the approved bytes, whatever happened to the caller’s object.',
    headline: true,
  },
  'CS-GATE-3': {
    area: 'outcomes',
    says: 'After a crash between start and record the outcome is `unknown`, is told as such, and is never retried by itself.',
    headline: true,
  },
  'CS-GATE-4': {
    area: 'outcomes',
    says: 'A store that fails before the claim means that nothing runs.',
    headline: true,
  },
  'CS-GATE-5': {
    area: 'outcomes',
    says: 'When the store fails after the tool ran, the caller still gets the result, and the outcome is recorded as soon as the store can take it.',
  },
  'CS-GATE-6': {
    area: 'calls',
    says: 'The same key with the same call gives the same approval, the same decision and the stored result.',
  },
  'CS-GATE-7': {
    area: 'calls',
    says: 'The same key with another call is refused as `key_reused`.',
  },
  'CS-GATE-8': {
    area: 'calls',
    says: 'Two equal calls with two keys are two calls, and both ask.',
  },
  'CS-GATE-9': {
    area: 'calls',
    says: 'A caller without keys joins an equal call of its run that is under way, and asks anew once that is over.',
  },
  'CS-GATE-10': {
    area: 'calls',
    says: 'A call without a run joins nothing and is remembered for nothing.',
  },
  'CS-GATE-11': {
    area: 'outcomes',
    says: 'A denial answers the same call for the rest of the run, or for as long as `remember_no` says; meanwhile the call does not ask again.',
  },
  'CS-GATE-12': {
    area: 'outcomes',
    says: 'An approval that expired, was withdrawn or was invalidated is not a denial: the same call may ask again.',
  },
  'CS-GATE-13': {
    area: 'outcomes',
    says: 'Every way out that is not a result is one full sentence from one table, says whether the call ran, and never invites another attempt.',
  },
  'CS-GATE-14': {
    area: 'running',
    says: 'A claim looks again at policy, tool, voters and clocks, and what no longer holds ends the approval instead of running the call.',
  },
  'CS-GATE-15': {
    area: 'running',
    says: 'A claimer that has not started within ten seconds does not start.',
  },
  'CS-GATE-16': {
    area: 'answers',
    says: 'Changed arguments pass schema and policy like any others, and the model is told what was changed.',
  },
  'CS-GATE-17': {
    area: 'running',
    says: 'A caller that goes away takes its question with it, unless someone else here still waits for the answer.',
  },
  'CS-GATE-18': {
    area: 'outcomes',
    says: 'Time ends questions by itself; sweepers, however many, only make it visible.',
  },
  'CS-GATE-19': {
    area: 'running',
    says: 'A gate cannot be made without a policy and a store, and says so when the store cannot be written.',
  },
  'CS-GATE-20': {
    area: 'running',
    says: 'Whatever listens to a gate, and however it fails, changes nothing about a call.',
  },
  'CS-GATE-21': {
    area: 'running',
    says: 'A tool that ran and threw is reported as failed, never as denied.',
  },
  'CS-GATE-22': {
    area: 'calls',
    says: 'A call that names another agent, acting user or run than its gate is refused.',
  },
  'CS-GATE-23': {
    area: 'running',
    says: 'Every tool gets an idempotency key that is the same for every attempt at one call.',
  },
  'CS-GATE-24': {
    area: 'answers',
    says: 'An agent that asks more than the limits of the policy allow is stopped before it reaches people.',
  },
  'CS-TEST-1': {
    area: 'answers',
    says: '`decideNext` of `countersign/testing` answers the next question as its approvers would; it refuses production.',
  },
  'CS-NO-1': {
    area: 'outcomes',
    says: 'An eligible approver or an admin can lift a denial: an equal call asks again, and lifting alone runs nothing.',
  },
  'CS-WAIT-2': {
    area: 'running',
    says: 'Unless the policy says otherwise, a yes to a suspended run can be used for 24 h, and to a caller that waits for 15 min.',
  },
  'CS-WAIT-3': {
    area: 'running',
    says: '`onDecided` tells a process when a question of its agent has ended, whichever process asked or answered; an unused yes from before it started is told first.',
  },
  'CS-WAIT-4': {
    area: 'running',
    says: '`runApproved` runs what people approved after the process that asked is gone: each call once, however many workers run, and never a tool that only has the same name.',
  },
  'CS-WAIT-1': {
    area: 'asking',
    says: 'A program that waits for a person prints one line that says which tool waits and where to decide; an option silences it.',
  },
  'CS-GATE-25': {
    area: 'calls',
    says: 'A call that was asked about keeps its answer under its key when the rules allow it later: a no stays a no, what waits is joined, what ran does not run again.',
  },
  'CS-GATE-26': {
    area: 'running',
    says: 'A gate over HTTP batches, resumes, joins and countersigns calls like one in the process, tells what a person changed, and asks about every call that the other asks about.',
  },
  'CS-GATE-27': {
    area: 'running',
    says: 'A yes is not spent once the code that declares the tool asks for more than people were asked for.',
  },
  'CS-API-1': {
    area: 'files',
    says: 'A policy comes from files by `loadPolicy` or from code by `definePolicy`, under one grammar; every mistake is named with its place.',
  },
  'CS-API-2': {
    area: 'running',
    says: 'A store opens itself when it is first used; one that cannot be opened runs nothing, says why at `gate.ready()`, and is tried again.',
  },
})
