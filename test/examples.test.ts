import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { modelProvider, type Turn } from './support/model-provider.ts'
import { freshDatabase } from './support/postgres.ts'
import { promise } from './support/promise.ts'
import { startRestate } from './support/restate.ts'

const folder = path.resolve(import.meta.dirname, '../examples')
const KEYS = ['OPENAI_API_KEY', 'AI_GATEWAY_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'MODEL']

/** The first needs a program that is not free software: `npm run proof claude` runs it. The others have tests of their own. */
const ELSEWHERE = ['chat-worker', 'claude-agent-sdk', 'resume-by-worker', 'workflows']
const examples = readdirSync(folder).filter((name) => !ELSEWHERE.includes(name))

test.each(examples)('examples/%s runs and says what it did', async (name) => {
  expect((await run(name)).trim()).not.toBe('')
})

promise.each(
  ['CF-46'],
  'runs, and each workflow goes on with its own answer: examples/workflows',
  [
    ['expense', 'Paid 120 from travel, by ana@example.com,cleo@example.com.'],
    ['publishing', 'Published: Q3 results, audited.'],
    ['bulk-deletion', 'Deleted 3 accounts, once.'],
    ['permission', 'lena is reader, and omar is not granted anything.'],
  ] as const,
  async (name, said) => {
    const restate = name === 'permission' ? await startRestate() : undefined
    try {
      const given = {
        ...(restate ? { RESTATE_INGRESS: restate.ingress, RESTATE_ADMIN: restate.admin } : {}),
        ...(name === 'bulk-deletion' ? { DATABASE_URL: await freshDatabase() } : {}),
      }
      expect(await run('workflows', given, `${name}.ts`)).toContain(said)
    } finally {
      await restate?.stop()
    }
  },
  60_000,
)

promise(
  ['CS-WAIT-4'],
  'examples/resume-by-worker runs: workers die by kill -9, and each call ran once',
  async () => {
    expect(await run('resume-by-worker')).toContain('each once, after their agent was gone')
  },
  60_000,
)

/** Without any key of the machine: an example must not reach out because somebody has one. */
async function run(
  name: string,
  keys: Readonly<Record<string, string>> = {},
  file = 'main.ts',
): Promise<string> {
  const own = Object.entries(process.env).filter(([variable]) => !KEYS.includes(variable))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=countersign-source', path.join(folder, name, file)],
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
