/** One way in that is no adapter, what it was run with, and the tests that ran it. */
export interface Door {
  readonly door: string
  /** A page of docs/. */
  readonly guide: string
  readonly peers: readonly Peer[]
  /** Titles, or their beginnings, by file. */
  readonly tests: Readonly<Record<string, readonly string[]>>
}

/**
 * `package`: the real program, in the version that the lock file names; `in` is the file that imports
 * it. `source`: no real program runs; the peer is in that file, written from what the comment names
 * that begins with these words. `project`: ours, run by the interpreter of the machine.
 * `proof`: the real program, in a long proof and not in `npm test`; `in` pins its version.
 */
export type Peer =
  | { readonly package: string; readonly as: string; readonly in: string }
  | { readonly source: string; readonly in: string }
  | { readonly project: string; readonly in: string }
  | { readonly proof: string; readonly package: string; readonly in: string }

const SDK = '@modelcontextprotocol/sdk'
const NEWER_SDK = '@modelcontextprotocol/client'
const PEERS = 'test/cli/coding-agents/peers.ts'
const HOOKS = {
  'test/cli/coding-agents/hooks.test.ts': [
    'approved with a change: it runs as approved, once, and the end is on record',
    'a person’s no and a rule that denies block, and the model reads why',
    'a policy, database or option that cannot be used blocks',
  ],
} as const

const hook = (door: string, source: string): Door => ({
  door: `Hook: ${door}`,
  guide: 'guides/coding-agents.md',
  peers: [{ source, in: PEERS }],
  tests: HOOKS,
})

export const DOORS: readonly Door[] = [
  {
    door: 'MCP over stdio, up to 2025-11-25',
    guide: 'guides/mcp.md',
    peers: [
      { package: SDK, as: 'client', in: 'test/mcp/gateway.ts' },
      {
        package: '@modelcontextprotocol/server-everything',
        as: 'server',
        in: 'test/mcp/everything.test.ts',
      },
    ],
    tests: {
      'test/mcp/stdio.test.ts': [
        'a server is listed under its own names, and nothing runs before a yes',
        'a denied call never reaches the server, and the model is told',
      ],
      'test/mcp/everything.test.ts': [
        'every tool, prompt and resource of a server behaves as without us',
      ],
      'test/mcp/reads-declared.test.ts': [
        'on a pipe the client shows the address, and another process answers',
      ],
    },
  },
  {
    door: 'MCP over HTTP at `/mcp`, up to 2025-11-25',
    guide: 'guides/mcp.md',
    peers: [
      { package: SDK, as: 'client', in: 'test/mcp/http.test.ts' },
      { package: '@ai-sdk/mcp', as: 'client', in: 'test/mcp/http.test.ts' },
    ],
    tests: {
      'test/mcp/http.test.ts': [
        'all servers of the policy are one, and a broken one takes nothing with it',
        'a hundred clients at once each get their own answers',
      ],
      'test/mcp/reads-ask.test.ts': [
        'a read that asks gives its content after a yes, unchanged, and the next one asks again',
      ],
    },
  },
  {
    door: 'MCP 2026-07-28, over stdio and HTTP',
    guide: 'guides/mcp.md',
    peers: [{ package: NEWER_SDK, as: 'client', in: 'test/mcp/http.test.ts' }],
    tests: {
      'test/mcp/http.test.ts': [
        'clients of the newer era wait between requests and run the call once',
      ],
      'test/mcp/other-clients.test.ts': ['a client of the newer SDK on a pipe'],
      'test/mcp/reads-declared.test.ts': [
        'a client of the newer era waits by its own way, and gets what was read',
      ],
    },
  },
  {
    door: 'HTTP+SSE of an MCP server',
    guide: 'guides/mcp.md',
    peers: [{ package: SDK, as: 'server', in: 'test/mcp/sse-upstream.ts' }],
    tests: {
      'test/mcp/sse.test.ts': [
        'a server of HTTP+SSE works by its url: asked about, called once, its own questions answered',
        'a stream that ends under a call leaves it unknown, and the next call opens another',
      ],
    },
  },
  {
    door: 'OAuth for `/mcp`',
    guide: 'guides/oauth.md',
    peers: [{ package: NEWER_SDK, as: 'client', in: 'test/e2e/oauth.test.ts' }],
    tests: {
      'test/e2e/oauth.test.ts': [
        'a client of the SDK comes in through the browser of a person, and leaves when they say so',
        'a person who refuses in the browser sends the client away',
      ],
    },
  },
  {
    door: 'Tasks of MCP',
    guide: 'guides/mcp.md',
    peers: [
      { package: '@modelcontextprotocol/ext-tasks', as: 'client', in: 'test/mcp/tasks.test.ts' },
      { package: NEWER_SDK, as: 'client', in: 'test/mcp/tasks.test.ts' },
    ],
    tests: {
      'test/mcp/tasks.test.ts': [
        'the official client of the extension follows a call that waits, and gets its result',
        'a task outlives the server: the approval is the truth, and the call runs once',
      ],
    },
  },
  {
    door: 'Elicitation of MCP, by an address',
    guide: 'guides/mcp.md',
    peers: [
      { package: NEWER_SDK, as: 'client', in: 'test/mcp/http.test.ts' },
      { package: SDK, as: 'client', in: 'test/mcp/gateway.ts' },
    ],
    tests: {
      'test/mcp/http.test.ts': [
        'a client that opens addresses is sent to the card and goes on when it is decided there',
      ],
      'test/mcp/ladder.test.ts': [
        'B7-14: a client that opens addresses is sent to the card, and the decision is made there',
      ],
    },
  },
  {
    door: 'The card in MCP clients (MCP Apps)',
    guide: 'guides/mcp.md',
    peers: [
      { package: '@modelcontextprotocol/ext-apps', as: 'host', in: 'test/mcp/app-host.ts' },
      { package: NEWER_SDK, as: 'client', in: 'test/mcp/app.test.ts' },
    ],
    tests: {
      'test/mcp/app.test.ts': [
        'a client that shows pages finds the card by the tools that look, and reads it',
        'the card tells how a call stands, and nothing there decides',
      ],
    },
  },
  {
    door: 'ACP, between an editor and its agent',
    guide: 'guides/acp.md',
    peers: [
      { package: '@agentclientprotocol/sdk', as: 'editor', in: 'test/acp/editor.ts' },
      { package: '@agentclientprotocol/sdk', as: 'agent', in: 'test/acp/scripted-agent.ts' },
    ],
    tests: {
      'test/acp/acp.test.ts': [
        'a permission that the agent asks for is asked in the editor, and the record has it with its end',
        'files and terminals that the agent wants from the editor wait for a person, and run as approved',
      ],
    },
  },
  {
    door: 'A2A',
    guide: 'guides/a2a.md',
    peers: [{ package: '@a2a-js/sdk', as: 'server', in: 'test/adapters/a2a.test.ts' }],
    tests: {
      'test/adapters/a2a.test.ts': [
        'a message that needs approval is a task that requires authorization, and runs once it was approved',
        'a no rejects the task, a cancellation withdraws the question, and neither runs anything',
      ],
    },
  },
  {
    door: 'AG-UI',
    guide: 'guides/ag-ui.md',
    peers: [
      { package: '@ag-ui/client', as: 'client', in: 'test/adapters/ag-ui.test.ts' },
      { package: '@ag-ui/core', as: 'schemas', in: 'test/adapters/ag-ui.test.ts' },
    ],
    tests: {
      'test/adapters/ag-ui.test.ts': [
        'a call that waits ends the run as an interrupt with the approval and its link',
        'approved with a change: the resumed run runs it once, as approved',
      ],
    },
  },
  {
    door: 'AuthZEN',
    guide: 'guides/authzen.md',
    peers: [
      {
        source: 'What an enforcement point of AuthZEN sends',
        in: 'test/server/authzen-client.ts',
      },
    ],
    tests: {
      'test/server/authzen.test.ts': [
        'a denial is requested, approved and claimed by the next evaluation, once',
        'the examples of the specification are answered by rules that read every part of them',
      ],
    },
  },
  {
    door: 'Hook: Claude Code',
    guide: 'guides/claude-code.md',
    peers: [
      {
        proof: 'claude',
        package: '@anthropic-ai/claude-agent-sdk',
        in: 'scripts/proofs/claude/package-lock.json',
      },
    ],
    tests: {
      'test/cli/hook.test.ts': [
        'approved with a change: it runs once, as approved, and the end is on record',
        'any doubt blocks',
      ],
    },
  },
  hook('Codex', 'Codex, '),
  hook('Gemini CLI', 'Gemini CLI, '),
  hook('Cursor', 'Cursor, '),
  hook('Copilot CLI', 'Copilot CLI, '),
  {
    ...hook('OpenCode', 'OpenCode '),
    tests: {
      ...HOOKS,
      'test/cli/coding-agents/install.test.ts': [
        'the plugin for OpenCode throws whenever its hook is not clear',
      ],
    },
  },
  {
    door: 'Python client',
    guide: 'guides/python.md',
    peers: [{ project: 'clients/python/pyproject.toml', in: 'test/clients/python.ts' }],
    tests: {
      'test/clients/python.test.ts': [
        'what people approve runs, with what they approved',
        'killed processes, restarted servers and races',
      ],
    },
  },
  {
    door: 'Clients generated from OpenAPI',
    guide: 'reference/http.md',
    peers: [
      {
        package: '@seriousme/openapi-schema-validator',
        as: 'checks the description',
        in: 'test/server/openapi.test.ts',
      },
      {
        proof: 'openapi',
        package: '@hey-api/openapi-ts',
        in: 'scripts/proofs/openapi/typescript.ts',
      },
      {
        proof: 'openapi',
        package: '@openapitools/openapi-generator-cli',
        in: 'scripts/proofs/openapi/python.ts',
      },
    ],
    tests: {
      'test/server/openapi.test.ts': [
        'a generated client has a name for every operation and type',
        'what an agent is answered fits what is described',
      ],
    },
  },
]
