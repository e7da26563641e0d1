import type { Threats } from './threat.ts'

const EVERY_PAIR = '$name at once end like one after the other'
const OTHER_FAULTS = 'on %s every other fault leaves the same promises standing'

export const RACES: Threats = {
  'B3-01': {
    threat: 'Two last votes arrive at once: the question stays open, or is approved twice.',
    tests: {
      'src/testing/store-cases/decision.ts': [
        'counts two people who decide at once, and approves exactly once',
      ],
      'test/interleavings.test.ts': [EVERY_PAIR],
    },
  },
  'B3-02': {
    threat: 'A yes and a no arrive at once, and the no is lost.',
    tests: {
      'test/interleavings.test.ts': [EVERY_PAIR],
      'test/approval/invariants.test.ts': ['an accepted no ends it'],
    },
  },
  'B3-03': {
    threat: 'A yes races the deadline and counts although it came late.',
    tests: {
      'test/approval/invariants.test.ts': [
        'the clock decides: no yes at or after the deadline, no expiry before it',
      ],
      'test/gate/prior-art-bugs.test.ts': [
        'bug 30: a late click is refused, and recorded as late: %s',
      ],
      'test/interleavings.test.ts': [EVERY_PAIR],
    },
  },
  'B3-04': {
    threat: 'A caller cancels while its call is approved or starts.',
    tests: {
      'test/gate/waiting.test.ts': ['an abort at any moment before the start runs nothing'],
      'test/mcp/unknown.test.ts': [
        'a call that its client cancels or leaves after it was sent is unknown',
      ],
      'test/interleavings.test.ts': [EVERY_PAIR],
    },
  },
  'B3-05': {
    threat: 'An answer waits for a row lock until its deadline has passed, and still counts.',
    tests: {
      'test/stores/postgres.test.ts': [
        'an answer that waited at %s for a lock past the deadline is late',
      ],
    },
  },
  'B3-06': {
    threat: 'One person counts twice: by clicking twice, on two channels or with two logins.',
    tests: {
      'src/testing/store-cases/decision.ts': [
        'counts one person once, however often they click at once',
      ],
      'src/approval/people/quorum.test.ts': ['two logins with one address are one person'],
    },
    partly:
      'An address with a `+tag` counts as another address, since providers disagree on what it means; a quorum of addresses should name a group of the provider instead.',
  },
  'B3-07': {
    threat: 'A vote beyond the quorum runs the call again.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 24: a vote beyond the quorum runs nothing again',
      ],
      'test/gate/outcome-rules.test.ts': [
        'two people are needed, each counts once, and more change nothing',
      ],
    },
  },
  'B3-08': {
    threat: 'A quorum that cannot be met is lowered instead of refused.',
    tests: {
      'test/promises/countersign-terms.test.ts': ['a quorum that cannot be met is refused'],
      'test/gate/outcome-rules.test.ts': [
        'without an eligible approver the call is refused and not asked',
      ],
      'test/server/people.test.ts': [
        'the yes of a removed person stops counting, and the card says who is missing',
      ],
    },
  },
  'B3-09': {
    threat: 'The clock jumps, and questions end early or live too long.',
    tests: {
      'test/faults.test.ts': [OTHER_FAULTS],
      'test/stores/sqlite.test.ts': [
        'a clock far behind what was recorded decides nothing, and denies nothing',
      ],
    },
    partly:
      'Clocks that the stores read are made to jump; the machine’s own clock is never set. Keep it synchronised.',
  },
  'B3-10': {
    threat: 'Servers whose clocks differ decide differently.',
    tests: {
      'test/layers.test.ts': ['policy and approval read no clock and reach for nothing'],
      'test/stores/postgres.test.ts': [
        'an answer that waited at %s for a lock past the deadline is late',
        'a clock far behind what was recorded decides nothing',
      ],
    },
    partly:
      'The clock of the database decides; servers whose own clocks differ are not run together in a test.',
  },
  'B3-11': {
    threat: 'A deadline beyond 24.8 days overflows a timer and fires at once.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['deadlines of a year are just numbers'],
      'test/gate/waiting.test.ts': ['a wait of many weeks does not end at once'],
    },
  },
  'B3-12': {
    threat: 'A caller that polls too briefly ends the question.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 29: looking for an answer too early ends nothing: %s',
      ],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 29: how long a caller waits is not how long the question lives',
      ],
    },
  },
  'B3-13': {
    threat: 'An escalation and a late yes of the first approvers are counted in the wrong order.',
    tests: {
      'src/approval/people/quorum.test.ts': [
        'before its time an escalation adds no approver',
        'from its time on it does, whether a sweeper ran or not',
      ],
      'test/approval/invariants.test.ts': [
        'nothing becomes approved that a naive reading of the requirements would not approve',
      ],
    },
  },
  'B3-14': {
    threat: 'An escalation loops, or reaches the person the agent works for.',
    tests: {
      'src/approval/people/quorum.test.ts': ['an escalation to the acting user adds no approver'],
      'test/promises/agent-format-terms.test.ts': [
        'asking more people does not lengthen the life of a question',
      ],
    },
  },
  'B3-15': {
    threat: 'A policy approves on timeout.',
    tests: {
      'test/promises/agent-format-terms.test.ts': [
        'a key that would approve on timeout is refused',
      ],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 24, 25: an unanswered question never becomes a yes',
      ],
    },
  },
}
