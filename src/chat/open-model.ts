import type { LanguageModel } from 'ai'
import { modelFetch, withoutKey } from './model-connection.ts'
import type { ModelServer } from './model-server.ts'

/** A program of this machine answers at once; the internet may take a while. */
const LOOK_MS = { local: 800, configured: 4_000 } as const
const MOST_MODELS = 50

/** One model of a server. The package for its API is loaded when it is first used. */
export async function openModel(
  server: ModelServer,
  model: string,
  silenceMs: number,
): Promise<LanguageModel> {
  const { wire, name, url, key } = server
  const fetch = await fetchFor(server, silenceMs)
  const apiKey = key === undefined ? {} : { apiKey: key }
  switch (wire) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ ...apiKey, baseURL: versioned(url, 'v1'), fetch })(model)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ ...apiKey, baseURL: versioned(url, 'v1beta'), fetch })(
        model,
      )
    }
    case 'openai': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...apiKey, name, baseURL: bare(url), fetch })(model)
    }
  }
}

/** The models that are named, or those that the server lists. Throws where it lists none. */
export async function modelsAt(server: ModelServer): Promise<readonly string[]> {
  const { wire, models, key, url, isConfigured } = server
  if (models.length > 0 || wire !== 'openai') return models
  const silenceMs = isConfigured ? LOOK_MS.configured : LOOK_MS.local
  const headers: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` }
  const signal = AbortSignal.timeout(silenceMs)
  const response = await (await fetchFor(server, silenceMs))(`${bare(url)}/models`, {
    headers,
    signal,
  })
  if (!response.ok) throw new Error(`it answered ${response.status}`)
  const { data } = (await response.json()) as { data?: unknown }
  if (!Array.isArray(data)) throw new Error('it did not answer with a list of models')
  return data
    .flatMap((one: { id?: unknown } | null) => (typeof one?.id === 'string' ? [one.id] : []))
    .filter((id) => id.length <= 200 && withoutKey(id, key) === id && !OTHER.test(id))
    .slice(0, MOST_MODELS)
}

/** Names are resolved and checked by us only for addresses that came from the inbox. */
async function fetchFor({ key, allowHosts }: ModelServer, silenceMs: number) {
  const via = allowHosts && (await import('./checked-fetch.ts')).checkedFetch(allowHosts)
  return modelFetch({ key, silenceMs, via })
}

/** Models that do not chat are listed among those that do. */
const OTHER =
  /embed|whisper|tts|dall-e|moderation|-image|-audio|realtime|transcribe|sora|davinci|babbage/i

const bare = (url: string) => url.replace(/\/+$/, '')

/** `https://proxy.example` and `https://proxy.example/v1` are the same place. */
function versioned(url: string, version: string): string {
  const base = bare(url)
  return base.endsWith(`/${version}`) ? base : `${base}/${version}`
}
