import type { PriorArt } from './threat.ts'

/** Approval bugs of applications that run agents. */
export const APPLICATION_BUGS: PriorArt = {
  '27': {
    source: 'datalayer agent-runtimes #104',
    threat: 'An approval is marked as used after the effect, and a crash leaves it usable.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 27: a crash at %s leaves nothing that can be used again',
      ],
      'test/approval/prior-art-bugs.test.ts': [
        'bug 27: the approval is spent before the call runs',
      ],
    },
  },
  '28': {
    source: 'mattermost agents #908',
    threat: 'Resuming replays a whole batch, and finished calls run again.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 28: a batch that is tried again runs only what has not run: %s',
      ],
      'test/approval/prior-art-bugs.test.ts': ['bug 28: each call of a batch has its own approval'],
    },
  },
  '29': {
    source: 'agent-os #1613',
    threat: 'A caller’s short poll denies a question that lives longer.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 29: looking for an answer too early ends nothing: %s',
      ],
      'test/approval/prior-art-bugs.test.ts': ['bug 29: how long a caller waits'],
    },
  },
  '30': {
    source: 'opencompany #1490',
    threat: 'A late click is logged as an approval.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 30: a late click is refused, and recorded as late: %s',
      ],
      'test/approval/prior-art-bugs.test.ts': ['bug 30: a late click is recorded as late'],
    },
  },
  '31': {
    source: 'patchwork-os #1537',
    threat: 'An expiry is never stored, and the log says pending for ever.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 31: a question that expired while its caller waited is stored',
      ],
      'test/approval/prior-art-bugs.test.ts': ['bug 31, 32: time alone ends a question'],
    },
  },
  '32': {
    source: 'curie #417, #430',
    threat:
      'Without a sweeper a session hangs, and an approved call is asked about again on resume.',
    tests: {
      'test/gate/prior-art-bugs.test.ts': [
        'bug 32: what was approved is not asked about again on resume: %s',
      ],
      'test/approval/prior-art-bugs.test.ts': ['bug 31, 32: time alone ends a question'],
      'test/gate/sweep.test.ts': ['without any sweeper a late answer is late all the same'],
    },
  },
  '33': {
    source: 'atlas-ui-3 #511, vaporforge #93, cadis #1098',
    threat: 'Knowing a short id is enough to approve.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 3, 33: knowing the id is not enough to approve',
      ],
      'src/base/id.test.ts': ['ids are letters and digits, and no two are alike'],
    },
  },
  '34': {
    source: 'pi-mcp-adapter #372, OpenClaw #112946, ShieldCortex #241',
    threat: 'A permission for a session covers the tool and not its arguments.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 34: a grant stands for its maker'],
      'test/gate/grants.test.ts': ['the same call runs without asking, and one that differs'],
    },
  },
}
