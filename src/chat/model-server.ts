/** The API that a server of models speaks. */
export type ModelWire = 'openai' | 'anthropic' | 'google'

/** A server of models, and what it takes to talk to it. */
export interface ModelServer {
  /** What the ids of its models begin with. */
  readonly name: string
  /** What people see beside the names of its models. */
  readonly title: string
  readonly wire: ModelWire
  readonly url: string
  readonly key?: string | undefined
  /** Named by the operator. Else one that speaks the API of OpenAI is asked. */
  readonly models: readonly string[]
  /** Why it has no models is told; one that is only looked for may be absent. */
  readonly isConfigured: boolean
  /** Entered in the inbox: it is on the public internet, or one of these hosts. */
  readonly allowHosts?: readonly string[]
}

export type Env = Readonly<Record<string, string | undefined>>

/** Where each API usually is, and a model to begin with. */
export const USUAL = {
  anthropic: { url: 'https://api.anthropic.com', models: ['claude-sonnet-4-5'] },
  google: { url: 'https://generativelanguage.googleapis.com', models: ['gemini-2.5-flash'] },
  openai: { url: 'https://api.openai.com/v1', models: [] },
} as const

/** Servers that speak the API of OpenAI on this machine, where they usually listen. */
export const LOCAL: readonly ModelServer[] = [
  { ...local('ollama', 11_434), title: 'Ollama' },
  { ...local('lm-studio', 1_234), title: 'LM Studio' },
  { ...local('llama.cpp', 8_080), title: 'llama.cpp' },
]

function local(name: string, port: number) {
  const url = `http://127.0.0.1:${port}/v1`
  return { name, url, wire: 'openai', models: [], isConfigured: false } as const
}

/** Those whose keys are in the environment. A base address is meant for proxies. */
export function environmentServers(env: Env): ModelServer[] {
  const { OPENAI_API_KEY: key = '', OPENAI_BASE_URL: base = '' } = env
  const url = base || USUAL.openai.url
  const models = words(env.COUNTERSIGN_OPENAI_MODELS)
  const title = URL.parse(url)?.host || 'OPENAI_BASE_URL'
  const common = { isConfigured: true, wire: 'openai' } as const
  const openai = { ...common, name: 'openai', title, url, models, ...(key ? { key } : {}) }
  return [
    ...hosted('anthropic', 'Anthropic', {
      key: env.ANTHROPIC_API_KEY,
      url: env.ANTHROPIC_BASE_URL,
      models: env.COUNTERSIGN_ANTHROPIC_MODELS,
    }),
    ...hosted('google', 'Google', {
      key: env.GOOGLE_GENERATIVE_AI_API_KEY,
      url: env.GOOGLE_GEMINI_BASE_URL,
      models: env.COUNTERSIGN_GOOGLE_MODELS,
    }),
    ...(key || base ? [openai] : []),
  ]
}

function hosted(
  wire: 'anthropic' | 'google',
  title: string,
  given: Readonly<Record<'key' | 'url' | 'models', string | undefined>>,
): ModelServer[] {
  if (!given.key) return []
  const named = words(given.models)
  const url = given.url || USUAL[wire].url
  const models = named.length > 0 ? named : USUAL[wire].models
  return [{ name: wire, title, wire, url, key: given.key, models, isConfigured: true }]
}

const words = (text = '') => text.split(/[\s,]+/).filter((word) => word !== '')
