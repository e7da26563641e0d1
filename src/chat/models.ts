import type { LanguageModel } from 'ai'
import { CountersignError } from '../base/errors.ts'
import { REHEARSAL, rehearsalModel } from './rehearsal-model.ts'

/** A model people can choose. */
export interface ChatModel {
  readonly id: string
  readonly name: string
  /** `rehearsal` answers from a script in this process. */
  readonly provider: string
}

export interface ChatModels {
  /** The first is the one that is used unless another is chosen. */
  list(): Promise<readonly ChatModel[]>
  open(id: string): Promise<LanguageModel>
}

type Env = Readonly<Record<string, string | undefined>>

const OFFLINE: ChatModel = {
  id: REHEARSAL,
  name: 'Rehearsal (scripted, offline)',
  provider: 'rehearsal',
}

interface Hosted {
  readonly provider: string
  readonly title: string
  readonly key: string
  readonly models: string
  readonly usual: string
  open(key: string, model: string): Promise<LanguageModel>
}

/** Providers with a package of their own, used when their key is in the environment. */
const HOSTED: readonly Hosted[] = [
  {
    provider: 'anthropic',
    title: 'Anthropic',
    key: 'ANTHROPIC_API_KEY',
    models: 'COUNTERSIGN_ANTHROPIC_MODELS',
    usual: 'claude-sonnet-4-5',
    open: async (apiKey, model) =>
      (await import('@ai-sdk/anthropic')).createAnthropic({ apiKey })(model),
  },
  {
    provider: 'google',
    title: 'Google',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    models: 'COUNTERSIGN_GOOGLE_MODELS',
    usual: 'gemini-2.5-flash',
    open: async (apiKey, model) =>
      (await import('@ai-sdk/google')).createGoogleGenerativeAI({ apiKey })(model),
  },
]

/** Servers that speak the API of OpenAI on this machine, where they usually listen. */
const LOCAL: readonly { readonly title: string; readonly url: string }[] = [
  { title: 'Ollama', url: 'http://127.0.0.1:11434/v1' },
  { title: 'LM Studio', url: 'http://127.0.0.1:1234/v1' },
  { title: 'llama.cpp', url: 'http://127.0.0.1:8080/v1' },
]

interface Endpoint {
  readonly provider: string
  readonly title: string
  readonly url: string
  readonly key?: string | undefined
  /** Named by the operator; else the endpoint is asked. */
  readonly models: readonly string[]
}

interface Found extends ChatModel {
  open(): Promise<LanguageModel>
}

const LOOK_MS = 800
const FRESH_MS = 15_000

/**
 * The models of this server: those whose keys are in its environment, those on this machine, and
 * the rehearsal model. Keys stay here; pages know names only.
 */
export function createModels(env: Env, locals = LOCAL): ChatModels {
  let known: { readonly at: number; readonly found: Promise<readonly Found[]> } | undefined

  function endpoints(): Endpoint[] {
    const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key, COUNTERSIGN_OPENAI_MODELS: named } = env
    const url = base ?? (key === undefined ? undefined : 'https://api.openai.com/v1')
    const own: Endpoint[] =
      url === undefined
        ? []
        : [{ provider: 'openai', title: new URL(url).host, url, key, models: words(named) }]
    const local = locals.map((one) => ({ ...one, provider: one.title.toLowerCase(), models: [] }))
    return env.COUNTERSIGN_CHAT_LOCAL === 'off' ? own : [...own, ...local]
  }

  async function modelsAt({ provider, title, url, key, models }: Endpoint): Promise<Found[]> {
    const ids = models.length > 0 ? models : await listedAt(url, key)
    return ids.map((model) => ({
      id: `${provider}:${model}`,
      name: `${model} (${title})`,
      provider,
      async open() {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
        const made = createOpenAICompatible({
          name: provider,
          baseURL: url,
          ...(key === undefined ? {} : { apiKey: key }),
        })
        return made(model)
      },
    }))
  }

  async function look(): Promise<readonly Found[]> {
    const hosted = HOSTED.flatMap(({ provider, title, key, models, usual, open }): Found[] => {
      const secret = env[key]
      if (secret === undefined || secret === '') return []
      const named = words(env[models])
      return (named.length > 0 ? named : [usual]).map((model) => ({
        id: `${provider}:${model}`,
        name: `${model} (${title})`,
        provider,
        open: () => open(secret, model),
      }))
    })
    const found = await Promise.all(endpoints().map(modelsAt))
    const rehearsal = { ...OFFLINE, open: async () => rehearsalModel() }
    return [...hosted, ...found.flat(), rehearsal]
  }

  function now(): Promise<readonly Found[]> {
    const at = performance.now()
    if (!known || at - known.at > FRESH_MS) known = { at, found: look() }
    return known.found
  }

  return {
    list: async () => (await now()).map(({ id, name, provider }) => ({ id, name, provider })),
    async open(id) {
      const found = (await now()).find((one) => one.id === id)
      if (!found) {
        throw new CountersignError('not_found', `there is no model ${id}`, {
          hint: 'Choose another one: its server may have stopped.',
        })
      }
      try {
        return await found.open()
      } catch (cause) {
        throw new CountersignError(
          'peer_missing',
          `the model ${id} needs a package that is missing`,
          {
            hint: 'Install @ai-sdk/openai-compatible, @ai-sdk/anthropic or @ai-sdk/google beside countersign.',
            cause,
          },
        )
      }
    },
  }
}

const words = (text = '') => text.split(/[\s,]+/).filter((word) => word !== '')

/** What an endpoint says it has. One that is not there has nothing, and is not waited for. */
async function listedAt(url: string, key: string | undefined): Promise<string[]> {
  try {
    const headers: Record<string, string> =
      key === undefined ? {} : { authorization: `Bearer ${key}` }
    const signal = AbortSignal.timeout(LOOK_MS)
    const response = await fetch(`${url}/models`, { headers, signal, redirect: 'error' })
    if (!response.ok) return []
    const { data } = (await response.json()) as { data?: unknown }
    if (!Array.isArray(data)) return []
    return data
      .flatMap((one: { id?: unknown } | null) => (typeof one?.id === 'string' ? [one.id] : []))
      .slice(0, 50)
  } catch {
    return []
  }
}
