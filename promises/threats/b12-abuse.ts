import type { Threats } from './threat.ts'

export const ABUSE: Threats = {
  'B12-01': {
    threat: 'An agent floods people with questions.',
    tests: {
      'test/server/limits.test.ts': [
        'B12-01: an agent has at most a hundred questions waiting, unless the policy says otherwise',
      ],
      'test/gate/outcome-rules.test.ts': ['an agent that floods people is stopped'],
      'test/stores/caps.test.ts': [
        'of many questions at once, from two servers, no more are taken than may be',
      ],
      'test/e2e/deciding.test.ts': ['a thousand calls stay easy to move in'],
    },
    partly:
      'A thousand questions are tried, not a hundred thousand; limits per agent hold whatever the number.',
  },
  'B12-02': {
    threat: 'A denied call is asked again and again, or in other words.',
    tests: {
      'test/gate/identity.test.ts': ['a denial answers the same call for the rest of its run'],
      'test/gate/denial-memory.test.ts': ['remember_no: 1h ends after an hour'],
    },
    partly:
      'Other arguments are another call, which is asked about; earlier denials are not counted. `countersign lock` stops an agent that goes on.',
  },
  'B12-03': {
    threat: 'After many harmless questions people approve a harmful one.',
    tests: {
      'inbox/src/features/batch/selection.test.ts': [
        'a yes is preset only after everything was shown, and never for a repetition',
        'a call %s is not approved in a batch',
      ],
      'test/threats/documented-limits.test.ts': ['B12-03: a tired person approves a faithful card'],
    },
    partly:
      'How well people notice a harmful call has not been measured; grants and conditions leave fewer questions to read.',
  },
  'B12-04': {
    threat: 'Slow approvers use up connections or memory.',
    tests: {
      'test/gate/waiting.test.ts': ['a thousand wait at once', 'waiting leaves nothing behind: %s'],
    },
    partly:
      'Hundreds of waiting callers are tried; larger numbers are measured by `npm run bench:store`, which no test repeats.',
  },
  'B12-05': {
    threat: 'A policy, a pattern or a schema takes so long that the server stops.',
    tests: {
      'test/server/definitions.test.ts': [
        'S2, B10-17: nothing that an agent says of a tool ends or hangs the server',
        'f14: what one agent’s schemas cost is its own account, and others are checked as ever',
      ],
      'src/policy/pattern/pattern.test.ts': ['%j is refused: some text would take too long'],
      'src/policy/evaluate/glob.test.ts': ['a hostile pattern costs no more than its size'],
      'src/base/secrets/secret-text.test.ts': [
        'a megabyte of hostile text is looked through in linear time',
      ],
    },
  },
  'B12-06': {
    threat: 'An error message repeats arguments or a stack.',
    tests: {
      'test/secrets/canary.test.ts': ['no secret that went in by any door is found in any place'],
      'src/gate/schema/json-schema.test.ts': ['what is wrong is told without the value'],
    },
  },
  'B12-07': {
    threat: 'The server listens to the whole network without sign-in.',
    tests: {
      'test/cli/start.test.ts': ['%j is refused'],
      'test/server/matrix.test.ts': [
        'every route stands in the table of rights, with the same rights',
      ],
    },
  },
  'B12-08': {
    threat: 'A dependency is taken over.',
    tests: {
      'test/threats/source.test.ts': [
        'B12-08: what users install has no install scripts, and every package has its hash',
      ],
      'test/pack.test.ts': [
        'the tarball holds the built package, and nothing of the workshop',
        'an install is under 60 packages and 25 MB, with no Node and no Postgres of its own',
      ],
    },
    partly:
      'No check asks a database of known vulnerabilities, since tests reach no other machine; run `npm audit` where you install.',
  },
  'B12-09': {
    threat: 'A mode for tests that allows everything is on in production.',
    tests: {
      'test/promises/atmosphere-modes.test.ts': ['allowAll refuses production'],
      'test/gate/listening.test.ts': ['strategies refuse production'],
    },
    partly: 'Production is what `NODE_ENV` says it is: set it to `production` where it is.',
  },
  'B12-10': {
    threat: 'Metrics or traces hold secrets.',
    tests: {
      'test/gate/telemetry.test.ts': ['nothing of arguments, results and errors is in a span'],
      'test/secrets/canary.test.ts': ['no secret that went in by any door is found in any place'],
    },
  },
  'B12-11': {
    threat: 'A form is made to take long to read or to check.',
    tests: {
      'test/gate/forms.test.ts': [
        'a form that cannot be used asks no person',
        'a pattern of a form takes time by the length of the text alone',
      ],
      'test/server/forms.test.ts': [
        'forms that are costly to read are on the account of the agent that sends them',
      ],
    },
  },
  'B12-12': {
    threat: 'Refused attempts or invented names are repeated until the record fills the disk.',
    tests: {
      'test/server/evidence.test.ts': [
        'a hundred thousand refusals become a bounded number of entries, and all are counted',
        'invented names fill no entry, and counts survive a database that is away',
      ],
    },
  },
  'B12-13': {
    threat: 'Metrics are read, or another route opened, with a token that is not theirs.',
    tests: {
      'test/server/metrics.test.ts': [
        'the metrics are read from elsewhere with their token, and with no other',
      ],
    },
  },
}
