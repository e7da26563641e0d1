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

interface Recorder {
  readonly client: Client
  /** What was told besides answers, in order, since the last look. */
  told(): unknown[]
}

/** A client that can do everything a server may ask of it, always in the same words. */
async function recorder(command: readonly string[], cwd: string): Promise<Recorder> {
  const [file = '', ...args] = command
  const { PATH = '' } = cleanEnv()
  const env = { PATH, HOME: cwd, MEMORY_FILE_PATH: path.join(cwd, 'memory.json') }
  const client = new Client(
    { name: 'parity', version: '1' },
    { capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } } },
  )
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' as const }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: 'file:///a', name: 'a' }],
  }))
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'none',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'sampled' },
  }))
  const transport = new StdioClientTransport({ command: file, args, cwd, env, stderr: 'ignore' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  // The SDK drops progress that comes together with the result, so it is read off the wire.
  const told: unknown[] = []
  const receive = transport.onmessage?.bind(transport)
  transport.onmessage = (message) => {
    if ('method' in message && message.method === 'notifications/progress') {
      const { progressToken: _, ...about } = message.params ?? {}
      told.push(about)
    }
    receive?.(message)
  }
  return { client, told: () => told.splice(0) }
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
async function recordedCalls(
  { client, told }: Recorder,
  args: Readonly<Record<string, Record<string, unknown>>>,
) {
  // Some tools are added once the server has asked for the roots.
  await client.ping()
  const { tools } = await client.listTools()
  const own = tools.filter(({ name }) => !name.startsWith('countersign_'))
  const calls: Record<string, unknown> = {}
  for (const { name } of own) {
    calls[name] = await client
      .callTool({ name, arguments: args[name] ?? {} }, undefined, { onprogress: () => {} })
      .catch((error: Error) => error.message)
    calls[`${name} progress`] = told()
  }
  return { version: client.getServerVersion(), tools: own, calls }
}

async function recorded(from: Recorder) {
  const { client: one } = from
  const { tools, calls } = await recordedCalls(from, ARGS)
  const { prompts } = await one.listPrompts()
  const { resources } = await one.listResources()
  return {
    version: one.getServerVersion(),
    instructions: one.getInstructions(),
    tools,
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
  ['CS-MCP-2', 'CS-MCP-3'],
  'every tool, prompt and resource of a server behaves as without us',
  async () => {
    const cwd = folder({
      'countersign.yaml':
        'version: 1\nmcp_servers: [{ alias: all, server_ref: here, approval: false }]\n',
    })
    const direct = await recorded(await recorder(EVERYTHING, cwd))
    const through = await recorded(await recorder(behind('all', EVERYTHING), cwd))
    expect(direct.tools.length).toBeGreaterThan(15)
    expect(direct.calls['trigger-long-running-operation progress']).toHaveLength(2)
    expect(timeless(through)).toEqual(timeless(direct))
  },
)

function behind(alias: string, command: readonly string[]): string[] {
  return [process.execPath, BIN, 'mcp', '--name', alias, '--', ...command]
}

const FILES_ARGS = {
  read_file: { path: 'note.txt' },
  read_text_file: { path: 'note.txt', head: 1 },
  read_media_file: { path: 'dot.png' },
  read_multiple_files: { paths: ['note.txt', 'none.txt'] },
  write_file: { path: 'new.txt', content: 'new' },
  edit_file: { path: 'new.txt', edits: [{ oldText: 'new', newText: 'newer' }] },
  create_directory: { path: 'sub' },
  // Not the folder itself: ours lies in it.
  list_directory: { path: 'sub' },
  list_directory_with_sizes: { path: 'sub' },
  directory_tree: { path: 'sub' },
  move_file: { source: 'new.txt', destination: 'sub/new.txt' },
  search_files: { path: 'sub', pattern: '*.txt' },
  get_file_info: { path: 'none.txt' },
}

const MEMORY_ARGS = {
  create_entities: {
    entities: [{ name: 'Ana', entityType: 'person', observations: ['pays'] }],
  },
  create_relations: { relations: [{ from: 'Ana', to: 'Bo', relationType: 'knows' }] },
  add_observations: { observations: [{ entityName: 'Ana', contents: ['sings'] }] },
  search_nodes: { query: 'Ana' },
  open_nodes: { names: ['Ana'] },
  delete_observations: { deletions: [{ entityName: 'Ana', observations: ['sings'] }] },
  delete_relations: { relations: [{ from: 'Ana', to: 'Bo', relationType: 'knows' }] },
  delete_entities: { entityNames: ['Ana'] },
}

promise.each(
  ['CS-MCP-2'],
  'every tool of another server behaves as without us',
  [
    ['filesystem', 'server-filesystem', FILES_ARGS],
    ['memory', 'server-memory', MEMORY_ARGS],
  ] as [string, string, Record<string, Record<string, unknown>>][],
  async (alias, name, args) => {
    const command = [process.execPath, path.join(modules, name, 'dist/index.js')]
    // The same files twice, because the tools change them.
    const [direct, through] = await Promise.all(
      [false, true].map(async (isBehind) => {
        const cwd = folder({
          'note.txt': 'hello\nthere\n',
          'dot.png': Buffer.from('89504e470d0a1a0a', 'hex'),
          'countersign.yaml': `version: 1\nmcp_servers: [{ alias: ${alias}, server_ref: here, approval: false }]\n`,
        })
        const started = name === 'server-filesystem' ? [...command, '.'] : command
        const one = await recorder(isBehind ? behind(alias, started) : started, cwd)
        const { calls, ...rest } = await recordedCalls(one, args)
        const text = JSON.stringify({ ...rest, calls }).replaceAll(cwd, 'HERE')
        return timeless(JSON.parse(text)) as typeof rest & { calls: Record<string, unknown> }
      }),
    )
    const called = Object.values(direct?.calls ?? {}).filter((result) => !Array.isArray(result))
    expect(called.length).toBeGreaterThan(8)
    expect(called.filter((result) => typeof result === 'string')).toEqual([])
    expect(through).toEqual(direct)
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
  const { client: one } = await recorder([process.execPath, BIN, 'mcp'], cwd)
  const read = await one.callTool({ name: 'files_read_text_file', arguments: { path: 'note.txt' } })
  expect(JSON.stringify(read.content)).toContain('hello')
  const entities = [{ name: 'Ana', entityType: 'person', observations: ['pays'] }]
  await one.callTool({ name: 'memory_create_entities', arguments: { entities } })
  const graph = await one.callTool({ name: 'memory_read_graph', arguments: {} })
  expect(JSON.stringify(graph)).toContain('Ana')
})
