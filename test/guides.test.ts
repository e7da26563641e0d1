import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runTool } from '../scripts/tool.ts'

const root = path.resolve(import.meta.dirname, '..')

const BANK =
  'declare const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }'
const EXPENSE = 'interface Expense { readonly amount: number; readonly by: string }'
const DATABASE = 'declare const databaseUrl: string'
const GATE = 'declare const gate: import("countersign").Gate'
const CHAT = 'declare const chatId: string'
const MODEL = 'declare const model: import("ai").LanguageModel'
const PAY = 'declare const pay: import("ai").Tool<{ amount: number }, string>'
const READ = 'declare const read: import("ai").Tool<{ path: string }, string>'
const MAIL = 'declare function sendMail(args: { to: string }): Promise<string>'
const ENV = 'interface Env { readonly COUNTERSIGN_URL: string; readonly COUNTERSIGN_TOKEN: string }'

/** What a page leaves to its reader, and says so. */
const YOURS: Readonly<Record<string, readonly string[]>> = {
  'guides/ai-sdk': [
    GATE,
    MODEL,
    PAY,
    READ,
    CHAT,
    'declare const innerTools: import("ai").ToolSet',
    'declare const session: { readonly person: import("countersign").Person }',
    'declare const saved: import("ai").UIMessage[]',
    'declare function save(messages: import("ai").UIMessage[]): void',
  ],
  'guides/workflow-agent': ['declare const bank: { pay(amount: number): Promise<{ id: string }> }'],
  'guides/cloudflare-agents': [],
  'guides/genkit': [
    GATE,
    CHAT,
    'declare const ai: import("genkit").Genkit',
    'declare const model: import("genkit").ModelReference<never>',
    'declare const pay: import("genkit").ToolArgument',
    'declare const read: import("genkit").ToolArgument',
    'declare const guarded: import("countersign/genkit").GuardedTools',
    'declare const saved: import("genkit").MessageData[]',
    'declare const settleTurn: typeof import("countersign/genkit").settleTurn',
    'declare function save(messages: import("genkit").MessageData[]): Promise<void>',
  ],
  'guides/strands': [
    GATE,
    CHAT,
    'declare const Agent: typeof import("@strands-agents/sdk").Agent',
    'declare const model: import("@strands-agents/sdk").Model',
    'declare const pay: import("@strands-agents/sdk").Tool',
    'declare const read: import("@strands-agents/sdk").Tool',
    'declare const agent: import("@strands-agents/sdk").Agent',
    'declare const snapshot: import("@strands-agents/sdk").Snapshot',
    'declare const resumeAgent: typeof import("countersign/strands").resumeAgent',
    'declare function save(snapshot: import("@strands-agents/sdk").Snapshot): Promise<void>',
  ],
  'guides/voltagent': [
    GATE,
    CHAT,
    // VoltAgent is installed beside its tests alone: it needs another version of the AI SDK.
    'interface VoltResult { readonly response: { readonly messages: import("ai").ModelMessage[] } }',
    'declare const Agent: new (options: object) => { generateText(messages: object[]): Promise<VoltResult> }',
    'declare const agent: { generateText(messages: object[]): Promise<VoltResult> }',
    'declare const response: VoltResult["response"]',
    'declare const pay: { readonly name: string; readonly parameters: object; readonly execute: () => Promise<string> }',
    'declare const read: { readonly name: string; readonly parameters: object; readonly execute: () => Promise<string> }',
    'declare const model: object',
  ],
  'guides/assistant-ui': [
    'declare const YourToolFallback: import("@assistant-ui/react").ToolCallMessagePartComponent',
    'declare function Thread(): null',
  ],
  'guides/mount-the-server': [
    'declare const countersign: import("countersign/server").Countersign',
  ],
  'guides/tools': [
    GATE,
    CHAT,
    MAIL,
    'declare const call: { readonly id: string }',
    'declare const input: { readonly topic: string }',
    'declare const researcher: { run(args: { task: string }): Promise<string> }',
    'declare const acme: { call(skill: string, args: { task: string }): Promise<string> }',
    'declare function tellModel(text: string): void',
  ],
  'guides/resume': [
    GATE,
    CHAT,
    MAIL,
    'declare const to: string',
    'declare const callId: string',
    'declare function resumeChat(run: string | undefined): Promise<void>',
    'declare function saveResult(run: string | undefined, outcome: import("countersign").Outcome): Promise<void>',
  ],
  'guides/workflows': [DATABASE, BANK, EXPENSE],
  'guides/workflows/aws-durable': [
    DATABASE,
    BANK,
    EXPENSE,
    'declare const countersignUrl: string',
    'declare const countersignToken: string',
  ],
  'guides/workflows/restate': [DATABASE, BANK, EXPENSE],
  'guides/workflows/temporal': [DATABASE, BANK, EXPENSE, 'declare const address: string'],
  'guides/workflows/inngest': [DATABASE, BANK],
  'guides/workflows/langgraph': [
    DATABASE,
    BANK,
    'declare const checkpointer: import("@langchain/langgraph").BaseCheckpointSaver',
    'declare const queue: { add(thread: string): Promise<void> }',
  ],
  'guides/workflows/cloudflare': [
    BANK,
    EXPENSE,
    ENV,
    `interface Workflow {
  get(id: string): Promise<{
    status(): Promise<{ status: 'running' | 'waiting' | 'complete' }>
    sendEvent(event: { type: string; payload: unknown }): Promise<void>
  }>
}`,
    'declare function validate(expense: Expense): { readonly amount: number }',
    'declare function userOf(request: Request): Promise<{ email: string; emailVerified: true } | null>',
  ],
  'reference/gate': [],
  'reference/server': [],
}

/** What a page imports from a file of its reader. */
const TOOLS: Readonly<Record<string, string>> = {
  'guides/cloudflare-agents': `
export ${ENV}
export ${MODEL}
export ${PAY}
export ${READ}
declare module 'agents' {
  // The platform's own types, which say this, are not installed here.
  interface Agent<Env> { readonly env: Env }
}
`,
  'guides/workflows/temporal': `
${BANK}
export const pay = {
  name: 'pay',
  approval: true,
  run: (args: { amount: number; budget: string }) => bank.pay(args),
}
`,
}

/** Two versions of the SDK's own types are installed here, and its MCP client has the other one. */
const MCP = `
import type { ToolSet } from 'ai'
export declare function createMCPClient(options: object): Promise<{ tools(): Promise<ToolSet> }>
`

/** The same for its workflows. */
const WORKFLOW = `
import type { ModelMessage, ToolSet } from 'ai'
export declare class WorkflowAgent {
  constructor(options: { model: string; tools: ToolSet })
  stream(options: { messages: ModelMessage[]; writable: WritableStream; preventClose: boolean }): Promise<{ messages: ModelMessage[] }>
}
`

/** Express brings no types of its own. */
const EXPRESS = `
import type { IncomingMessage, ServerResponse } from 'node:http'
type Handler = (request: IncomingMessage, response: ServerResponse) => unknown
export default function express() {
  return { all(_path: string, _handler: Handler): void {} }
}
`

/** As much of the platform's own types as the pages use: they are not installed here. */
const CLOUDFLARE = `
export abstract class DurableObject<Env = unknown> { protected readonly env!: Env }
export interface WorkflowEvent<T> { payload: Readonly<T>; timestamp: Date; instanceId: string; workflowName: string }
export abstract class WorkflowStep {
  abstract do<T>(name: string, work: () => Promise<T>): Promise<T>
  abstract do<T>(name: string, config: object, work: () => Promise<T>): Promise<T>
  abstract sleep: (name: string, duration: number | \`\${number} seconds\`) => Promise<void>
  abstract waitForEvent<T>(
    name: string,
    options: { type: string; timeout?: number | \`\${number} days\` },
  ): Promise<{ payload: Readonly<T>; type: string }>
}
export abstract class WorkflowEntrypoint<Env = unknown, T = unknown> {
  protected readonly env!: Env
  abstract run(event: Readonly<WorkflowEvent<T>>, step: WorkflowStep): Promise<unknown>
}
export class RpcTarget {}
export class WorkerEntrypoint {}
export declare const env: object
export declare const exports: object
`

/** What an earlier block of the same page made. */
const BEFORE = [
  'declare const messages: import("ai").ModelMessage[]',
  'declare const tools: import("ai").ToolSet',
  'declare const responseMessages: import("ai").ModelMessage[]',
  'declare const seen: Record<string, string>',
  'declare const resumeTurn: typeof import("countersign/ai-sdk").resumeTurn',
  'declare const generateText: typeof import("ai").generateText',
]

function blocksOf(guide: string): { readonly code: string; readonly ext: string }[] {
  const text = readFileSync(path.join(root, 'docs', `${guide}.md`), 'utf8')
  return [...text.matchAll(/^```(tsx?)\n(.*?)^```$/gms)].map(([, ext = 'ts', code = '']) => {
    return { code, ext }
  })
}

/** A block that begins with the name of its file: other blocks of the page may import it. */
function fileOf(code: string): string | undefined {
  return /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1]
}

const NAMED = /^(?:declare )?(?:const|function|interface) (\w+)/

/** A block as a module of its own, with what it uses and does not make. */
function moduleOf(code: string, given: readonly string[]): string {
  const isUsed = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text)
  const nameOf = (declared: string) => NAMED.exec(declared)?.[1] ?? ''
  const isMade = (name: string, isType: boolean) =>
    new RegExp(`\\b(function|interface|class|type) ${name}\\b`).test(code) ||
    (!isType && new RegExp(`\\b(const|import)\\b[^=;]*\\b${name}\\b[^=;]*(=|from)`).test(code))
  const missing = given.filter((declared) => {
    const name = nameOf(declared)
    // Also what only another one needs: the type of an argument.
    const isNeeded = [code, ...given.filter((other) => other !== declared)].some((text) =>
      isUsed(text, name),
    )
    return isNeeded && !isMade(name, declared.startsWith('interface'))
  })
  return `${missing.join('\n')}\n${code}\nexport {}\n`
}

/** Compiled beside a stand-in for a platform, which others must not meet. */
const PLATFORM = 'guides/workflows/cloudflare'
const folderOf = (guide: string) => guide.replaceAll('/', '-')

test.each([
  ['all pages but one', Object.keys(YOURS).filter((guide) => guide !== PLATFORM), {}],
  [PLATFORM, [PLATFORM], { 'cloudflare:workers': ['./cloudflare.ts'] }],
])(
  'the code compiles under strict, as printed: %s',
  async (_, guides, platform) => {
    // Inside the checkout, where `countersign` is found by its name.
    const folder = mkdtempSync(path.join(root, '.dist-guide-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const stands = { mcp: MCP, workflow: WORKFLOW, express: EXPRESS, cloudflare: CLOUDFLARE }
    for (const [name, text] of Object.entries(stands)) {
      writeFileSync(path.join(folder, `${name}.ts`), text)
    }
    for (const guide of guides) {
      const own = path.join(folder, folderOf(guide))
      mkdirSync(own)
      writeFileSync(path.join(own, 'tools.ts'), TOOLS[guide] ?? 'export {}')
      const blocks = blocksOf(guide)
      expect(blocks.length, guide).toBeGreaterThan(0)
      for (const [index, { code, ext }] of blocks.entries()) {
        const given = [...BEFORE, ...(YOURS[guide] ?? [])]
        const file = path.join(own, fileOf(code) ?? `block-${index}.${ext}`)
        // Of two blocks of one file, the first is what others import.
        const free = existsSync(file) ? path.join(own, `block-${index}.${ext}`) : file
        writeFileSync(free, moduleOf(code, given))
      }
    }
    const paths = {
      '@ai-sdk/mcp': ['./mcp.ts'],
      '@ai-sdk/workflow': ['./workflow.ts'],
      express: ['./express.ts'],
      ...platform,
    }
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: path.join(root, 'tsconfig.json'),
        compilerOptions: { jsx: 'react-jsx', rootDir: root, paths },
        include: ['*/*'],
      }),
    )
    const { output } = await runTool('tsc', ['-p', path.join(folder, 'tsconfig.json')])
    expect(output.trim()).toBe('')
  },
  120_000,
)
