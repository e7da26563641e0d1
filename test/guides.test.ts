import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runTool } from '../scripts/tool.ts'

const root = path.resolve(import.meta.dirname, '..')

/** What a page leaves to its reader, and says so. */
const YOURS = {
  'guides/ai-sdk': `
import type { LanguageModel, ModelMessage, Tool, ToolSet, UIMessage } from 'ai'
import type { Gate, Person } from 'countersign'
declare global {
  const gate: Gate
  const model: LanguageModel
  const pay: Tool<{ amount: number }, string>
  const read: Tool<{ path: string }, string>
  const innerTools: ToolSet
  const chatId: string
  const session: { readonly person: Person }
  const saved: UIMessage[]
  function save(messages: UIMessage[]): void
}
`,
  'guides/cloudflare-agents': `
import type { LanguageModel, Tool } from 'ai'
export interface Env { readonly COUNTERSIGN_URL: string; readonly COUNTERSIGN_TOKEN: string }
export declare const model: LanguageModel
export declare const pay: Tool<{ amount: number }, string>
export declare const read: Tool<{ path: string }, string>
declare module 'agents' {
  // The platform's own types, which say this, are not installed here.
  interface Agent<Env> { readonly env: Env }
}
`,
  'guides/tools': `
import type { Gate } from 'countersign'
declare global {
  const gate: Gate
  const chatId: string
  const call: { readonly id: string }
  const input: { readonly topic: string }
  const researcher: { run(args: { task: string }): Promise<string> }
  const acme: { call(skill: string, args: { task: string }): Promise<string> }
  function sendMail(args: { to: string }): Promise<string>
  function tellModel(text: string): void
}
`,
  'guides/workflows': `
export type {}
declare global {
  const databaseUrl: string
  const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }
  interface Expense { readonly amount: number; readonly by: string }
}
`,
  'guides/workflows/aws-durable': `
export type {}
declare global {
  const databaseUrl: string
  const countersignUrl: string
  const countersignToken: string
  const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }
  interface Expense { readonly amount: number; readonly by: string }
}
`,
  'guides/workflows/restate': `
export type {}
declare global {
  const databaseUrl: string
  const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }
  interface Expense { readonly amount: number; readonly by: string }
}
`,
  'guides/workflows/temporal': `
declare global {
  const address: string
  const databaseUrl: string
  const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }
  interface Expense { readonly amount: number; readonly by: string }
}
export const pay = {
  name: 'pay',
  approval: true,
  run: (args: { amount: number; budget: string }) => bank.pay(args),
}
`,
  'guides/workflows/inngest': `
export type {}
declare global {
  const databaseUrl: string
  const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }
}
`,
  'guides/workflows/langgraph': `
import type { BaseCheckpointSaver } from '@langchain/langgraph'
declare global {
  const databaseUrl: string
  const checkpointer: BaseCheckpointSaver
  const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }
  const queue: { add(thread: string): Promise<void> }
}
`,
  'guides/resume': `
import type { Gate, Outcome } from 'countersign'
declare global {
  const gate: Gate
  const to: string
  const chatId: string
  const callId: string
  function resumeChat(run: string | undefined): Promise<void>
  function sendMail(args: { to: string }): Promise<string>
  function saveResult(run: string | undefined, outcome: Outcome): Promise<void>
}
`,
  'guides/workflows/cloudflare': `
export type {}
declare global {
  interface Workflow {
    get(id: string): Promise<{
      status(): Promise<{ status: 'running' | 'waiting' | 'complete' }>
      sendEvent(event: { type: string; payload: unknown }): Promise<void>
    }>
  }
  interface Env { readonly COUNTERSIGN_URL: string; readonly COUNTERSIGN_TOKEN: string }
  interface Expense { readonly amount: number; readonly by: string }
  const bank: { pay(args: { amount: number; budget: string }): Promise<{ id: string }> }
  function validate(expense: Expense): { readonly amount: number }
  function userOf(request: Request): Promise<{ email: string; emailVerified: true } | null>
}
`,
  'guides/mount-the-server': `
import type { Countersign } from 'countersign/server'
declare global {
  const countersign: Countersign
}
`,
  'reference/gate': 'export {}',
  'reference/server': 'export {}',
} as const

/** Two versions of the SDK's own types are installed here, and its MCP client has the other one. */
const MCP = `
import type { ToolSet } from 'ai'
export declare function createMCPClient(options: object): Promise<{ tools(): Promise<ToolSet> }>
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

/** Names that an earlier block of the same page made. */
const BEFORE: Readonly<Record<string, string>> = {
  messages: 'declare const messages: import("ai").ModelMessage[]',
  tools: 'declare const tools: import("ai").ToolSet',
  responseMessages: 'declare const responseMessages: import("ai").ModelMessage[]',
  seen: 'declare const seen: Record<string, string>',
  resumeTurn: 'declare const resumeTurn: typeof import("countersign/ai-sdk").resumeTurn',
  generateText: 'declare const generateText: typeof import("ai").generateText',
}

function blocksOf(guide: string): { readonly code: string; readonly ext: string }[] {
  const text = readFileSync(path.join(root, 'docs', `${guide}.md`), 'utf8')
  return [...text.matchAll(/^```(tsx?)\n(.*?)^```$/gms)].map(([, ext = 'ts', code = '']) => {
    return { code, ext }
  })
}

/** A block as a module of its own, with what earlier blocks made and it does not. */
function moduleOf(code: string): string {
  const missing = Object.entries(BEFORE).filter(([name]) => {
    const isMade = new RegExp(`\\b(const|import)\\b[^=;]*\\b${name}\\b[^=;]*(=|from)`).test(code)
    return !isMade && new RegExp(`\\b${name}\\b`).test(code)
  })
  return `${missing.map(([, declared]) => declared).join('\n')}\n${code}\nexport {}\n`
}

const COMPILED = [
  'guides/ai-sdk',
  'guides/cloudflare-agents',
  'guides/mount-the-server',
  'guides/tools',
  'guides/resume',
  'guides/workflows',
  'guides/workflows/aws-durable',
  'guides/workflows/restate',
  'guides/workflows/temporal',
  'guides/workflows/inngest',
  'guides/workflows/langgraph',
  'guides/workflows/cloudflare',
  'reference/gate',
  'reference/server',
] as const

test.each(COMPILED)(
  'the code of %s compiles under strict, as printed',
  async (guide) => {
    // Inside the checkout, where `countersign` is found by its name.
    const folder = mkdtempSync(path.join(root, '.dist-guide-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const blocks = blocksOf(guide)
    expect(blocks.length).toBeGreaterThan(0)
    const files = ['tools.ts', ...blocks.map(({ ext }, index) => `block-${index}.${ext}`)]
    writeFileSync(path.join(folder, 'tools.ts'), YOURS[guide])
    writeFileSync(path.join(folder, 'mcp.ts'), MCP)
    writeFileSync(path.join(folder, 'express.ts'), EXPRESS)
    const isPlatform = guide === 'guides/workflows/cloudflare'
    if (isPlatform) writeFileSync(path.join(folder, 'cloudflare.ts'), CLOUDFLARE)
    const paths = {
      '@ai-sdk/mcp': ['./mcp.ts'],
      express: ['./express.ts'],
      ...(isPlatform ? { 'cloudflare:workers': ['./cloudflare.ts'] } : {}),
    }
    for (const [index, { code, ext }] of blocks.entries()) {
      writeFileSync(path.join(folder, `block-${index}.${ext}`), moduleOf(code))
    }
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: path.join(root, 'tsconfig.json'),
        compilerOptions: { jsx: 'react-jsx', rootDir: root, paths },
        files,
        include: [],
      }),
    )
    const { output } = await runTool('tsc', ['-p', path.join(folder, 'tsconfig.json')])
    expect(output.trim()).toBe('')
  },
  60_000,
)
