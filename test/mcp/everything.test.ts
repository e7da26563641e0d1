import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished } from 'vitest'
import { BIN, cleanEnv, folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'

const modules = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol')
const EVERYTHING = [
  process.execPath,
  path.join(modules, 'server-everything/dist/index.js'),
  'stdio',
]

/** A client that can do everything a server may ask of it, always in the same words. */
async function client(command: readonly string[], cwd: string): Promise<Client> {
  const [file = '', ...args] = command
  const env = { ...(cleanEnv() as Record<string, string>), HOME: cwd }
  const one = new Client(
    { name: 'parity', version: '1' },
    { capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } } },
  )
  one.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' as const }))
  one.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: 'file:///a', name: 'a' }],
  }))
  one.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'none',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'sampled' },
  }))
  await one.connect(new StdioClientTransport({ command: file, args, cwd, env, stderr: 'ignore' }))
  onTestFinished(() => one.close())
  return one
}

const ARGS: Readonly<Record<string, Record<string, unknown>>> = {
  echo: { message: 'hi' },
  'get-sum': { a: 2, b: 3 },
  'get-structured-content': { location: 'Chicago' },
  'get-annotated-message': { messageType: 'error', includeImage: true },
  'get-resource-links': { count: 2 },
  'get-resource-reference': { resourceType: 'Text', resourceId: 1 },
  'trigger-long-running-operation': { duration: 0.2, steps: 2 },
  'trigger-sampling-request': { prompt: 'x', maxTokens: 5 },
  'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain,hi', outputType: 'resource' },
}
/** Not the same twice even without us: the environment, times, and what needs the task extension. */
const UNLIKE = new Set([
  'get-env',
  'simulate-research-query',
  'trigger-elicitation-request-async',
  'trigger-sampling-request-async',
])

async function recorded(one: Client) {
  // Some tools are added once the server has asked for the roots.
  await one.ping()
  const { tools } = await one.listTools()
  const own = tools.filter(({ name }) => !name.startsWith('countersign_'))
  const calls: Record<string, unknown> = {}
  for (const { name } of own.filter((tool) => !UNLIKE.has(tool.name))) {
    const progress: unknown[] = []
    calls[name] = await one
      .callTool({ name, arguments: ARGS[name] ?? {} }, undefined, {
        onprogress: (it) => progress.push(it),
      })
      .catch((error: Error) => error.message)
    // The SDK drops progress that arrives together with the result, so the first tells enough.
    if (progress.length > 0) calls[`${name} progress`] = progress[0]
  }
  const { prompts } = await one.listPrompts()
  const { resources } = await one.listResources()
  return {
    version: one.getServerVersion(),
    instructions: one.getInstructions(),
    tools: own.filter(({ name }) => !UNLIKE.has(name)),
    calls,
    prompts,
    prompt: await one.getPrompt({ name: 'simple-prompt' }),
    resources,
    templates: await one.listResourceTemplates(),
    resource: await one.readResource({ uri: resources[0]?.uri ?? '' }),
    completion: await one.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    }),
  }
}

/** Times differ from run to run, whoever is between. */
function timeless(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(
    /\d{1,2}:\d{2}:\d{2}(?:[ \u202f][AP]M)?|\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    'TIME',
  )
  return JSON.parse(text)
}

promise(
  ['SP-50', 'CS-MCP-2', 'CS-MCP-3'],
  'every tool, prompt and resource of a server behaves as without us',
  async () => {
    const cwd = folder({
      'countersign.yaml':
        'version: 1\nmcp_servers: [{ alias: all, server_ref: here, approval: false }]\n',
    })
    const direct = await recorded(await client(EVERYTHING, cwd))
    const through = await recorded(
      await client([process.execPath, BIN, 'mcp', '--name', 'all', '--', ...EVERYTHING], cwd),
    )
    expect(Object.keys(direct.calls).length).toBeGreaterThan(10)
    expect(timeless(through)).toEqual(timeless(direct))
  },
)

promise(['CS-MCP-4'], 'other servers that people use work behind us', async () => {
  const cwd = folder({
    'note.txt': 'hello',
    'countersign.yaml': `version: 1
mcp_servers:
  - alias: files
    command: ${process.execPath}
    args: [${path.join(modules, 'server-filesystem/dist/index.js')}, .]
    approval: false
  - alias: memory
    command: ${process.execPath}
    args: [${path.join(modules, 'server-memory/dist/index.js')}]
    env: { MEMORY_FILE_PATH: memory.json }
    approval: false
`,
  })
  const one = await client([process.execPath, BIN, 'mcp'], cwd)
  const read = await one.callTool({ name: 'files_read_text_file', arguments: { path: 'note.txt' } })
  expect(JSON.stringify(read.content)).toContain('hello')
  const entities = [{ name: 'Ana', entityType: 'person', observations: ['pays'] }]
  await one.callTool({ name: 'memory_create_entities', arguments: { entities } })
  const graph = await one.callTool({ name: 'memory_read_graph', arguments: {} })
  expect(JSON.stringify(graph)).toContain('Ana')
})
