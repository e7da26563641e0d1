import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { modelProvider, type Turn } from './support/model-provider.ts'
import { promise } from './support/promise.ts'

const folder = path.resolve(import.meta.dirname, '../examples')
const KEYS = ['OPENAI_API_KEY', 'AI_GATEWAY_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'MODEL']

/** The first needs a program that is not free software: `npm run proof claude` runs it. The others have tests of their own. */
const ELSEWHERE = ['claude-agent-sdk', 'resume-by-worker', 'workflows']
const examples = readdirSync(folder).filter((name) => !ELSEWHERE.includes(name))

test.each(examples)('examples/%s runs and says what it did', async (name) => {
  expect((await run(name)).trim()).not.toBe('')
})

promise(['CF-46'], 'examples/workflows runs, and each workflow gets its own answer', async () => {
  expect(await run('workflows')).toContain('each went on with its own answer')
})

promise(
  ['CS-WAIT-4'],
  'examples/resume-by-worker runs: workers die by kill -9, and each call ran once',
  async () => {
    expect(await run('resume-by-worker')).toContain('each once, after their agent was gone')
  },
  60_000,
)

/** Without any key of the machine: an example must not reach out because somebody has one. */
async function run(name: string, keys: Readonly<Record<string, string>> = {}): Promise<string> {
  const own = Object.entries(process.env).filter(([variable]) => !KEYS.includes(variable))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=countersign-source', path.join(folder, name, 'main.ts')],
    { cwd: path.dirname(folder), env: { ...Object.fromEntries(own), ...keys } },
  )
  return stdout
}

const openAi = (url: string) => ({ OPENAI_API_KEY: 'a-key', OPENAI_BASE_URL: `${url}/v1` })
const gemini = (url: string) => ({ GEMINI_API_KEY: 'a-key', GOOGLE_GEMINI_BASE_URL: url })
const gateway = (url: string) => ({ AI_GATEWAY_API_KEY: 'a-key', AI_GATEWAY_BASE_URL: url })

const payment: readonly Turn[] = [[{ tool: 'pay', args: { to: 'Lena', amount: 40 } }], 'Done.']
const payments: readonly Turn[] = [
  [
    { tool: 'pay', args: { to: 'Lena' } },
    { tool: 'pay', args: { to: 'Omar' } },
  ],
  'Done.',
]
const mail: readonly Turn[] = [
  [{ tool: 'find_address', args: { name: 'Lena' } }],
  [{ tool: 'send_mail', args: { to: 'lena@example.com', text: 'Paid.' } }],
  'Done.',
]
const transfer: readonly Turn[] = [[{ tool: 'transfer_money', args: { amount: 100 } }], 'Done.']

test.each([
  ['tools', openAi, mail, 'sent'],
  ['ai-sdk', gateway, payment, 'paid'],
  ['openai-agents', openAi, payment, 'paid'],
  ['google-adk', gemini, transfer, 'T-1'],
  ['langchain', openAi, payment, 'paid'],
  ['langgraph', openAi, payments, 'paid Omar'],
  ['mastra', openAi, payment, 'P-1'],
] as const)(
  'examples/%s with a key speaks to the model it is told to, and tells it the outcome',
  async (name, keys, turns, outcome) => {
    const { url, asked } = await modelProvider(turns)
    const stdout = await run(name, {
      ...keys(url),
      MODEL: name === 'google-adk' ? 'gemini-a-model' : 'a-model',
    })
    expect(stdout).toContain('The model says: Done.')
    expect(asked).toHaveLength(turns.length)
    for (const { key } of asked) expect(key).toContain('a-key')
    const wanted = turns.filter((turn) => typeof turn !== 'string').flat()
    for (const { tool } of wanted) expect(JSON.stringify(asked[0]?.body)).toContain(tool)
    expect(JSON.stringify(asked[0]?.body)).not.toContain(outcome)
    expect(JSON.stringify(asked.at(-1)?.body)).toContain(outcome)
  },
)
