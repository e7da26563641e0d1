import type { PriorArt } from './threat.ts'

/** Approval bugs of OpenClaw. */
export const OPENCLAW_BUGS: PriorArt = {
  '7': {
    source: 'OpenClaw CVE-2026-28466',
    threat: 'A caller sends internal control fields among its parameters.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 7: control fields from outside are refused'],
      'test/gate/model-words.test.ts': ['nothing in a call approves it'],
    },
  },
  '8': {
    source: 'OpenClaw CVE-2026-32058',
    threat: 'An approval is used again with another environment.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 8, 10: a call that differs'],
      'src/base/json/digest.test.ts': ['another digest for %s'],
    },
  },
  '9': {
    source: 'OpenClaw CVE-2026-32065',
    threat: 'People see a command without its outer spaces, and it runs with them.',
    tests: {
      'inbox/src/lib/text/invisible-characters.test.ts': [
        'nothing is lost: the parts of a text carry all of it',
      ],
      'test/e2e/payloads.test.ts': [
        'hostile text in every field of a card runs nothing, and reads as the bytes that are bound',
      ],
    },
  },
  '10': {
    source: 'OpenClaw CVE-2026-29608',
    threat: 'The command is rewritten between approval and start.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 8, 10: a call that differs'],
      'test/gate/bytes.test.ts': ['bytes that do not give the approved digest run nothing'],
    },
  },
  '11': {
    source: 'OpenClaw CVE-2026-32978, #124738',
    threat: 'A script is exchanged while the call that runs it waits.',
    tests: {
      'test/threats/documented-limits.test.ts': ['B1-08: what a tool reads later is not bound'],
    },
    limit: 'Nothing takes a digest of what arguments point to.',
  },
  '12': {
    source: 'OpenClaw GHSA-xww8-gqvh-92x9',
    threat: 'A long command is cut off on the screen, and its hidden end runs.',
    tests: {
      'test/cli/inbox.test.ts': ['a yes needs every line on the screen and the end of the digest'],
      'test/e2e/payloads.test.ts': ['a megabyte of spaces does not push the decisive word away'],
      'test/mcp/ladder.test.ts': ['B8-02: what cannot be shown whole is not asked in the client'],
    },
  },
  '13': {
    source: 'OpenClaw GHSA-mqpw-46fh-299h',
    threat: 'A chat command approves with the rights of an internal client.',
    tests: {
      'test/cli/decide.test.ts': ['deciding never uses the token of an agent'],
      'test/threats/source.test.ts': ['B4-07: two files say a decision to the store'],
    },
  },
  '14': {
    source: 'OpenClaw CVE-2026-35630, CVE-2026-100585',
    threat: 'Pressing the button in a chat is enough to count as an approver.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 14, 15: an approver of one kind of call'],
      'src/testing/hostile-adapter-cases.ts': [
        'where other people must approve, the acting user cannot do it in the chat',
      ],
    },
  },
  '15': {
    source: 'OpenClaw CVE-2026-32906',
    threat: 'An approver of one class of calls approves another class.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': ['bug 14, 15: an approver of one kind of call'],
    },
  },
  '16': {
    source: 'OpenClaw CVE-2026-32898, CVE-2026-35655',
    threat: 'What a tool says about itself lets it run without asking.',
    tests: {
      'src/gateway/upstream/risk.test.ts': ['%s %j, said to be %s, is %s'],
      'test/promises/agent-format-servers.test.ts': [
        'an undeclared server is asked about at least',
      ],
    },
  },
  '17': {
    source: 'OpenClaw CVE-2026-27183, #128470, #23276; goclaw #1200',
    threat:
      'A policy looks at the first word of a shell line, and a wrapper or a pipe hides the rest.',
    tests: {
      'test/threats/policy.test.ts': ['B5-16: our policy for a coding agent asks about %j'],
    },
  },
}
