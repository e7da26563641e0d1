import type { PriorArt } from './threat.ts'

const MATRIX =
  'whatever the route, the method, the sender and the state, no caller gets further than the table says'
const TWO_WAYS = 'requests that could be read in two ways are refused'

/** Approval bugs of MCP servers, SDKs and gateways and of coding agents, and what was published about people who approve. */
export const CLIENT_BUGS: PriorArt = {
  '35': {
    source: 'mcp-toolbox CVE-2026-14537, Kuadrant GO-2026-5390, mcp-atlassian CVE-2026-77243',
    threat: 'An older endpoint or another path reaches tools without the filter.',
    tests: {
      'test/server/matrix.test.ts': [
        'every route stands in the table of rights, with the same rights',
      ],
      'test/threats/gateway.test.ts': ['B6-10: what no server listed is not found'],
      'test/mcp/access.test.ts': ['the kill switch closes the doors beside the tools'],
    },
  },
  '36': {
    source: '1MCP CVE-2026-108586',
    threat: 'A negated filter lets through what it cannot test.',
    tests: {
      'test/promises/agent-format-conditions.test.ts': ['what cannot be tested asks a person'],
      'test/policy/agreement.test.ts': ['agrees with an evaluator that was written apart'],
    },
  },
  '37': {
    source: 'MCP Go SDK CVE-2026-27896, GO-2026-4770',
    threat: 'Keys in other case make gateway and server read different messages.',
    tests: {
      'test/mcp/http.test.ts': [TWO_WAYS],
      'src/gateway/downstream/fast-path.test.ts': [
        'a call that needs no approval leaves at once, written anew',
      ],
    },
  },
  '38': {
    source: 'MCP TypeScript SDK CVE-2025-66414, CVE-2026-25536',
    threat: 'Names can be rebound to the server, and clients get each other’s replies.',
    tests: {
      'test/server/guard.test.ts': ['a request from %s is refused, with or without a session'],
      'test/mcp/http.test.ts': [TWO_WAYS, 'a hundred clients at once each get their own answers'],
    },
  },
  '39': {
    source: 'mcp-remote CVE-2025-6514, MCP Inspector CVE-2025-49596, mcp-router CVE-2026-81094',
    threat: 'An address reaches a shell, and a proxy starts processes for anyone on the network.',
    tests: {
      'test/threats/source.test.ts': [
        'B7-08: outside of Windows nothing is handed to a shell, and four files start processes',
      ],
      'test/cli/start.test.ts': ['%j is refused'],
      'test/mcp/http.test.ts': [TWO_WAYS],
    },
  },
  '40': {
    source: 'Cursor CVE-2025-54136',
    threat: 'A server changes its definition after it was approved.',
    tests: {
      'test/approval/prior-art-bugs.test.ts': [
        'bug 40: a tool whose definition changed after the yes',
      ],
      'test/mcp/faults.test.ts': [
        'a tool that changes is held back until a person accepts the change',
      ],
    },
  },
  '41': {
    source: 'Copilot CVE-2025-53773; Claude Code GHSA-mmgp-wc2j-qcv7, CVE-2026-25725',
    threat: 'The agent, or a repository, edits the settings of approval.',
    tests: {
      'src/adapters/claude-code/own-files.test.ts': ['B5-24: a file that decides is not written'],
      'test/cli/hook-project.test.ts': ['B5-24: a policy in a subfolder loosens nothing'],
    },
  },
  '42': {
    source: 'Claude Code CVE-2025-54795, CVE-2025-58764, CVE-2025-66032',
    threat: 'A list of safe commands is read differently than the shell reads it.',
    tests: {
      'test/threats/policy.test.ts': ['B5-16: our policy for a coding agent asks about %j'],
      'src/adapters/claude-code/own-files.test.ts': [
        'B5-16: a shell line that names what decides is denied',
      ],
    },
  },
  '43': {
    source: 'Server Fault 1120740',
    threat: 'A mail scanner opens the link in a mail, and that approves.',
    tests: { 'test/server/matrix.test.ts': [MATRIX] },
  },
  '44': {
    source: 'Checkmarx, Lies-in-the-Loop; arXiv 2606.02668',
    threat: 'The agent words its own question, with padding, markup and a false summary.',
    tests: {
      'test/server/declared.test.ts': [
        'B8-01: an agent’s template never replaces the question of the policy',
      ],
      'test/e2e/payloads.test.ts': [
        'hostile text in every field of a card runs nothing, and reads as the bytes that are bound',
      ],
      'inbox/src/lib/text/invisible-characters.test.ts': [
        'blank lines that push text away are counted, and can be opened',
      ],
    },
  },
  '45': {
    source: 'Anthropic on approval fatigue',
    threat: 'People accept nearly every question.',
    tests: {
      'inbox/src/features/batch/selection.test.ts': [
        'a yes is preset only after everything was shown, and never for a repetition',
      ],
      'test/threats/documented-limits.test.ts': ['B12-03: a tired person approves a faithful card'],
    },
    partly:
      'Grants and conditions lower the number of questions; how people decide is not measured.',
  },
}
