import type { Threats } from './threat.ts'

export const BINDING: Threats = {
  'B1-01': {
    threat: 'The arguments that run differ from those that were approved.',
    tests: {
      'test/server/authzen-hostile.test.ts': ['no decision is true'],
      'test/gate/bytes.test.ts': ['bytes that do not give the approved digest run nothing'],
      'test/approval/invariants.test.ts': [
        'only the call people said yes to is claimed, by those who were asked',
      ],
      'src/testing/hostile-adapter-cases.ts': [
        'a yes for one call runs no other: changed arguments under its id are refused',
      ],
    },
  },
  'B1-02': {
    threat: 'The caller changes its arguments object after the approval.',
    tests: {
      'test/gate/bytes.test.ts': [
        'whatever becomes of the caller’s object, the approved bytes run',
        'what a tool does to its arguments reaches no other caller',
      ],
    },
    partly:
      'For calls that need no approval, a Proxy can still answer the policy and the tool differently; pass plain objects, as every SDK does.',
  },
  'B1-03': {
    threat: 'An approver’s edit skips the schema, the policy or the other approvers.',
    tests: {
      'test/server/definitions.test.ts': [
        'S1 b02: what a schema adds to an edit counts once a person was shown it',
      ],
      'test/gate/edits.test.ts': [
        'an edit is refused where the policy or its own rules say no',
        'an edit that crosses a rule needs the people of that rule as well',
        'earlier yeses do not count for the changed call',
      ],
      'src/approval/commands/decide-edit.test.ts': [
        'two people editing the same call at once: the second is told to look again',
      ],
    },
  },
  'B1-04': {
    threat: 'Defaults and conversions of a schema are applied after people looked.',
    tests: {
      'test/server/definitions.test.ts': [
        'S1 b02: what a schema adds to an edit counts once a person was shown it',
        'S1 b01: no call is judged, refused or completed by another agent’s definition',
      ],
      'test/gate/prior-art-bugs.test.ts': [
        'bug 20: people see the arguments as the tool gets them, defaults and conversions included',
      ],
    },
  },
  'B1-05': {
    threat: 'The digest leaves out something that changes what the call does.',
    tests: { 'src/base/json/digest.test.ts': ['another digest for %s'] },
    partly:
      'Environment, folder and address of an MCP server are not part of the digest; they stand in the operator’s file, so keep that file under review.',
  },
  'B1-06': {
    threat: 'Names that hold separators make two calls share one digest.',
    tests: {
      'src/base/json/digest.test.ts': ['names full of separators never make two calls look alike'],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 2: a name with a line break in it does not become another tool',
      ],
    },
  },
  'B1-07': {
    threat: 'A click that was meant for one call decides another.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 5: a stale click does not approve the newer call: %s',
      ],
      'test/server/calls.test.ts': ['a decision about anything but what is there now is refused'],
    },
  },
  'B1-08': {
    threat: 'A file, a branch or a page that the arguments name is changed while the call waits.',
    tests: {
      'test/threats/documented-limits.test.ts': ['B1-08: what a tool reads later is not bound'],
    },
    limit: 'Nothing takes a digest of what arguments point to.',
  },
  'B1-09': {
    threat: 'A standing grant covers more calls than its maker meant.',
    tests: {
      'test/gate/grants.test.ts': [
        'the same call runs without asking, and one that differs is asked about',
        'a condition covers what it says yes to, and nothing it cannot test',
      ],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 34: a grant stands for its maker on this very call, or not at all',
      ],
    },
  },
  'B1-10': {
    threat: 'An approval for one entry point is used at another.',
    tests: {
      'test/server/authzen-hostile.test.ts': ['what was asked for at another door is no task'],
      'src/base/json/digest.test.ts': ['another digest for %s'],
      'test/gate/identity.test.ts': [
        'the same key with other arguments, tool or acting user is refused',
      ],
      'src/gate/proof/countersignature.test.ts': [
        'a countersignature for one hop is for that hop alone',
      ],
      'test/client/countersigned.test.ts': [
        'one of another tenant counts as absent, also where both sign with one key',
        'an agent’s token gets no countersignature for a call that people did not see',
        'a tool of a server that the agent worded itself is not countersigned',
      ],
    },
  },
  'B1-11': {
    threat: 'One yes runs every call of a batch.',
    tests: {
      'test/gate/batch.test.ts': [
        'each call of a batch has its own answer, and outcomes keep the order of the calls',
        'two equal calls of a batch are two calls: one yes runs one of them',
      ],
      'test/client/same-options.test.ts': [
        'each call of a batch has its own answer, in the order of the calls',
      ],
    },
  },
  'B1-12': {
    threat: 'A person fills in another form than the tool reads the answers by.',
    tests: {
      'test/gate/forms.test.ts': [
        'an approver answers the form that was shown, and no other',
        'the tool and the asker get exactly what the approver filled in',
      ],
    },
  },
}
