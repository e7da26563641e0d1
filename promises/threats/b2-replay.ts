import type { Threats } from './threat.ts'

export const REPLAY: Threats = {
  'B2-01': {
    threat: 'One approval is presented twice, at the same moment or later.',
    tests: {
      'test/server/authzen.test.ts': ['twenty re-evaluations at once, and one is true'],
      'src/testing/store-cases/claim.ts': [
        'lets exactly one of twenty claim an approval',
        'lets exactly one process of several claim an approval',
      ],
      'test/gate/claims.test.ts': ['many resume one approval at once, and one of them runs it'],
      'test/interleavings.test.ts': ['$name at once end like one after the other'],
    },
  },
  'B2-02': {
    threat:
      'The process dies after the effect and before its result is stored; a retry runs it again.',
    tests: {
      'test/faults.test.ts': [
        'on %s nothing is lost, doubled or stuck, wherever the process is killed',
      ],
      'test/gate/sweep.test.ts': ['a call whose process died is unknown'],
    },
  },
  'B2-03': {
    threat: 'An approval is marked as used only after the tool ran.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 27: a crash at %s leaves nothing that can be used again',
      ],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 27: the approval is spent before the call runs, so a crash leaves nothing to reuse',
      ],
    },
  },
  'B2-04': {
    threat: 'An agent repeats a call under the same id, or uses the id for another call.',
    tests: {
      'test/gate/identity.test.ts': [
        'a finished call with the same key gives its stored result and runs nothing',
        'many callers with one key make one question, one run and one result',
        'the same key with other arguments, tool or acting user is refused',
      ],
    },
  },
  'B2-05': {
    threat: 'An MCP client gives up waiting and sends its call again as a new request.',
    tests: {
      'test/mcp/ladder.test.ts': [
        'a call that waits too long is pending, and the same call later runs it, once',
      ],
    },
  },
  'B2-06': {
    threat: 'The state that a client of the newer MCP era sends back is replayed or borrowed.',
    tests: {
      'test/mcp/http.test.ts': [
        'a question in a client of the newer era is an answer it sends with its next request',
      ],
    },
    partly:
      'Use by another agent and for other arguments is tested; a second use after a restart is not, where the approval, which is claimed once, has to stop it.',
  },
  'B2-07': {
    threat: 'Resuming a turn runs the calls again that were finished before.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 28: a batch that is tried again runs only what has not run: %s',
      ],
      'test/adapters/langchain.test.ts': ['a node that is run again runs no call twice'],
    },
  },
  'B2-08': {
    threat: 'A workflow engine replays its history and repeats the effects.',
    tests: {
      'test/adapters/langchain.test.ts': [
        'a node that is run again runs no call twice',
        'and none in another process, which has the checkpoints and the approvals alone',
      ],
    },
    partly:
      'LangGraph is tested; there is no adapter for Temporal, Inngest or DBOS: give each call the engine’s step id as its `key`, under which it runs once.',
  },
  'B2-09': {
    threat: 'A denied call runs when it is resumed.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 4: a declined call does not run when its policy is gone on resume: %s',
      ],
      'src/testing/hostile-adapter-cases.ts': [
        'a no that is turned into a yes on the way runs nothing',
      ],
    },
  },
  'B2-10': {
    threat: 'A restored backup brings used approvals back.',
    tests: {
      'test/stores/quarantine.test.ts': [
        'a backup put back over the file is quarantined, and what was spent stays spent',
        'a Postgres database that lost events is quarantined',
      ],
      'test/stores/failover.test.ts': [
        'servers that outlive a snapshot put back start nothing that was started before',
      ],
      'test/faults.test.ts': ['on %s every other fault leaves the same promises standing'],
    },
  },
  'B2-11': {
    threat: 'Two servers run on copies of one database.',
    tests: {
      'test/stores/quarantine.test.ts': [
        'a copied file is quarantined, and every yes in it ends',
        'a copied Postgres database is quarantined',
      ],
      'test/faults.test.ts': ['on %s every other fault leaves the same promises standing'],
    },
  },
  'B2-12': {
    threat: 'A process that was stopped wakes up after its time to start and runs the call.',
    tests: {
      'test/gate/claims.test.ts': ['a claimer that comes to itself too late does not start'],
      'test/faults.test.ts': ['on %s every other fault leaves the same promises standing'],
    },
    partly:
      'A freeze between the last look at the clock and the first step of the tool cannot be noticed from inside; docs/reliability.md says so. A tool that must not run late looks at the clock itself.',
  },
}
