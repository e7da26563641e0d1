import { expect, onTestFinished, test, vi } from 'vitest'
import type { ChatOverview } from '../../src/api/chat/conversation.ts'
import type { ModelServer } from '../../src/chat/model-server.ts'
import { createModels } from '../../src/chat/models.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Turn } from '../support/model-provider.ts'
import { promise } from '../support/promise.ts'
import { chatWorld, textOf } from './chat-world.ts'
import { type StreamingProvider, streamingProvider, type Trouble } from './streaming-provider.ts'

const KEY = 'key-that-no-one-may-read-0042'
const PAY: Turn = [
  { tool: 'sample_pay_invoice', args: { to: 'Northwind', amount: 18_400, currency: 'EUR' } },
]

/** What makes each kind of provider known to the server. */
const KINDS = {
  openai: ({ url }: StreamingProvider) => ({ OPENAI_BASE_URL: `${url}/v1/`, OPENAI_API_KEY: KEY }),
  anthropic: ({ url }: StreamingProvider) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    COUNTERSIGN_ANTHROPIC_MODELS: 'a-model',
  }),
  google: ({ url }: StreamingProvider) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GOOGLE_GENERATIVE_AI_API_KEY: KEY,
    COUNTERSIGN_GOOGLE_MODELS: 'a-model',
  }),
} as const
type Kind = keyof typeof KINDS
const kinds = (Object.keys(KINDS) as Kind[]).map((kind): [Kind] => [kind])

/** A chat on a server with this environment alone, and everything that it logs. */
async function chatWith(env: Readonly<Record<string, string>>) {
  const own = ['OPENAI', 'ANTHROPIC', 'GOOGLE', 'COUNTERSIGN_CHAT']
  for (const name of Object.keys(process.env)) {
    if (own.some((start) => name.startsWith(start))) vi.stubEnv(name, undefined)
  }
  const given = { COUNTERSIGN_CHAT_LOCAL: 'off', COUNTERSIGN_CHAT_TIMEOUT: '1s', ...env }
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const logged: unknown[] = []
  const store = memoryStore()
  const log = { write: (...entry: unknown[]) => void logged.push(entry) }
  const { signIn } = chatWorld('version: 1\n', { store, log })
  const ana = await signIn('ana@example.com')
  const overview = async () => (await (await ana.get('/v1/chat')).json()) as ChatOverview
  return { ana, overview, logged, store }
}

const errorsIn = (chunks: readonly Record<string, unknown>[]) =>
  chunks.flatMap(({ type, errorText }) => (type === 'error' ? [errorText] : []))

promise.each(
  ['CS-MODEL-1'],
  'a model is listed, streams, has its call asked about, and reads the result',
  kinds,
  async (kind) => {
    const provider = await streamingProvider([PAY, 'Northwind has its money.'])
    const { ana, overview, logged } = await chatWith(KINDS[kind](provider))
    const model = `${kind}:a-model`
    const before = await overview()
    expect(before.models.map(({ id }) => id)).toEqual([model, 'rehearsal'])
    expect(before.problems).toEqual([])

    const id = await ana.begin()
    const turn = await ana.say(id, 'Pay the invoice', { model })
    const [approval = ''] = await turn.asked()
    expect((await ana.card(approval)).message).toBe('Pay 18400 EUR to Northwind?')
    const toModel = () => provider.asked.filter(({ path }) => !path.endsWith('/models'))
    expect(toModel()).toHaveLength(1)
    expect(toModel()[0]?.body).toContain('sample_pay_invoice')
    await ana.decide(approval, 'approve')
    await turn.ended()

    expect(toModel()).toHaveLength(2)
    expect(toModel()[1]?.body).toMatch(/Northwind.*18400/s)
    for (const { keys } of provider.asked) expect(keys).toContain(KEY)
    const read = await ana.read(id)
    expect({ state: read.state, model: read.model }).toEqual({ state: 'idle', model })
    expect(textOf(read.last)).toContain('Northwind has its money.')
    const deltas = turn.chunks.filter(({ type }) => type === 'text-delta')
    expect(deltas.length).toBeGreaterThan(2)
    expect(errorsIn(turn.chunks)).toEqual([])
    const seen = JSON.stringify([before, read, turn.chunks, logged, await overview()])
    expect(seen).not.toContain(KEY)
  },
)

const refusal: Trouble = {
  status: 401,
  text: JSON.stringify({
    type: 'error',
    error: { type: 'auth', code: 401, status: 'X', message: `Incorrect API key provided: ${KEY}` },
  }),
}

promise.each(
  ['CS-MODEL-2'],
  'a refused key is said in the chat and logged without the key; the conversation goes on',
  kinds,
  async (kind) => {
    const provider = await streamingProvider([refusal, 'Here I am.'])
    const { ana, logged } = await chatWith(KINDS[kind](provider))
    const id = await ana.begin()
    const turn = await ana.say(id, 'Hello', { model: `${kind}:a-model` })
    await turn.ended()
    expect(errorsIn(turn.chunks)).toEqual([expect.stringContaining('refused the key (401)')])
    expect(JSON.stringify(logged)).toContain('Incorrect API key provided: [key]')
    expect((await ana.read(id)).state).toBe('idle')
    await (await ana.say(id, 'Once more')).ended()
    const { messages, last } = await ana.read(id)
    expect(textOf(last).trim()).toBe('Here I am.')
    expect(JSON.stringify([turn.chunks, logged, messages])).not.toContain(KEY)
  },
)

promise.each(
  ['CS-MODEL-2'],
  'a server that says nothing, stops in the middle or is gone ends the turn with a clear error',
  [
    ['hangs', /sent nothing for 1 seconds/],
    ['stalls', /sent nothing for 1 seconds/],
    ['is gone', /cannot be reached \(ECONNREFUSED\)/],
  ] as const,
  async (trouble, says) => {
    const provider = await streamingProvider(trouble === 'is gone' ? [] : [trouble])
    const { ana } = await chatWith(KINDS.openai(provider))
    const id = await ana.begin()
    await ana.get('/v1/chat')
    if (trouble === 'is gone') await provider.stop()
    const turn = await ana.say(id, 'Hello', { model: 'openai:a-model' })
    await turn.ended()
    expect(errorsIn(turn.chunks)).toEqual([expect.stringMatching(says)])
    expect((await ana.read(id)).state).toBe('idle')
    // The same conversation goes on with another model.
    const next = await ana.say(id, 'What can you do?', { model: 'rehearsal' })
    await next.ended()
    expect(textOf((await ana.read(id)).last)).toContain('I am the rehearsal model')
  },
)

test('a call that ran is kept when the model fails after it', async () => {
  const provider = await streamingProvider([PAY, { status: 400, text: '{}' }])
  const { ana } = await chatWith(KINDS.openai(provider))
  const id = await ana.begin()
  const turn = await ana.say(id, 'Pay the invoice', { model: 'openai:a-model' })
  const [approval = ''] = await turn.asked()
  await ana.decide(approval, 'approve')
  await turn.ended()
  expect(errorsIn(turn.chunks)).toEqual([expect.stringContaining('failed (400)')])
  const { last } = await ana.read(id)
  expect(last.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
    state: 'output-available',
  })
})

test('why a configured server has no models is told, without its key', async () => {
  const provider = await streamingProvider([], refusal)
  const { overview, logged } = await chatWith(KINDS.openai(provider))
  const { models, problems } = await overview()
  expect(models.map(({ id }) => id)).toEqual(['rehearsal'])
  expect(problems).toEqual([expect.stringContaining('could not be listed: it answered 401.')])
  expect(JSON.stringify([problems, logged])).not.toContain(KEY)
})

test('an address that is none is a problem of its own, and the chat works', async () => {
  const { overview } = await chatWith({ OPENAI_BASE_URL: 'not an address' })
  const { models, problems } = await overview()
  expect(models.map(({ id }) => id)).toEqual(['rehearsal'])
  expect(problems).toHaveLength(1)
})

test('servers of this machine are found by themselves, without those that do not chat', async () => {
  const { url } = await streamingProvider([], ['llama3.2:3b', 'nomic-embed-text', 'qwen3:8b'])
  const gone = await streamingProvider([])
  await gone.stop()
  const here = { wire: 'openai', models: [], isConfigured: false } as const
  const locals: ModelServer[] = [
    { ...here, name: 'ollama', title: 'Ollama', url: `${url}/v1` },
    { ...here, name: 'lm-studio', title: 'LM Studio', url: `${gone.url}/v1` },
  ]
  const models = createModels({}, { locals })
  expect(await models.list()).toEqual([
    { id: 'ollama:llama3.2:3b', name: 'llama3.2:3b (Ollama)', provider: 'ollama' },
    { id: 'ollama:qwen3:8b', name: 'qwen3:8b (Ollama)', provider: 'ollama' },
    expect.objectContaining({ id: 'rehearsal' }),
  ])
  expect(await models.problems()).toEqual([])
  expect(await createModels({ COUNTERSIGN_CHAT_LOCAL: 'off' }, { locals }).list()).toHaveLength(1)
})

test('a redirect is not followed: the key would go with it', async () => {
  const other = await streamingProvider(['Gotcha.'])
  const redirecting = (await import('node:http')).createServer((request, response) => {
    response.writeHead(307, { location: `${other.url}${request.url}` }).end()
  })
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void redirecting.close())
  const { port } = redirecting.address() as import('node:net').AddressInfo
  const url = `http://127.0.0.1:${port}`
  const { ana } = await chatWith({ ...KINDS.anthropic({ ...other, url }) })
  const id = await ana.begin()
  const turn = await ana.say(id, 'Hello', { model: 'anthropic:a-model' })
  await turn.ended()
  expect(errorsIn(turn.chunks)).toHaveLength(1)
  expect(other.asked).toEqual([])
})
