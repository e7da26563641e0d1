import type { LanguageModel } from 'ai'
import { parseDuration } from '../base/duration.ts'
import { CountersignError } from '../base/errors.ts'
import type { KeptServers } from './kept-servers.ts'
import { type Env, environmentServers, LOCAL, type ModelServer } from './model-server.ts'
import { modelsAt, openModel } from './open-model.ts'
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
  /** Why models of a server that the operator named are missing. */
  problems(): Promise<readonly string[]>
  /** Servers were added or removed: looks again when next asked. */
  forget(): void
  open(id: string): Promise<LanguageModel>
}

const OFFLINE: ChatModel = {
  id: REHEARSAL,
  name: 'Rehearsal (scripted, offline)',
  provider: 'rehearsal',
}

interface Found extends ChatModel {
  open(): Promise<LanguageModel>
}

interface Look {
  readonly found: readonly Found[]
  readonly problems: readonly string[]
}

interface ModelsParts {
  /** Where servers of this machine usually listen. */
  readonly locals?: readonly ModelServer[]
  /** Those that admins entered. */
  readonly kept?: Pick<KeptServers, 'open'> | undefined
}

const FRESH_MS = 15_000
/** A large model on this machine may be loaded before it says the first word. */
const SILENCE_MS = 120_000
const LONGEST_MS = 3_600_000

/**
 * The models of this server: those whose keys are in its environment, those that admins entered, those on
 * this machine, and the rehearsal model. Keys stay here; pages know names only.
 */
export function createModels(env: Env, { locals = LOCAL, kept }: ModelsParts = {}): ChatModels {
  const silenceMs = silenceOf(env.COUNTERSIGN_CHAT_TIMEOUT)
  const isLooking = env.COUNTERSIGN_CHAT_LOCAL !== 'off'
  let known: { readonly at: number; readonly look: Promise<Look> } | undefined

  async function modelsOf(server: ModelServer): Promise<Look> {
    const { name: provider, title, isConfigured } = server
    try {
      const found = (await modelsAt(server)).map((model) => ({
        id: `${provider}:${model}`,
        name: `${model} (${title})`,
        provider,
        open: () => openModel(server, model, silenceMs),
      }))
      return { found, problems: [] }
    } catch (error) {
      const why = `The models of ${title} could not be listed: ${reasonOf(error)}`
      return { found: [], problems: isConfigured ? [why] : [] }
    }
  }

  async function look(): Promise<Look> {
    const { servers: own = [], problems = [] } = (await kept?.open()) ?? {}
    const servers = [...environmentServers(env), ...own, ...(isLooking ? locals : [])]
    const looks = await Promise.all(servers.map(modelsOf))
    const rehearsal = { ...OFFLINE, open: async () => rehearsalModel() }
    return {
      found: [...looks.flatMap(({ found }) => found), rehearsal],
      problems: [...problems, ...looks.flatMap((one) => one.problems)],
    }
  }

  function now(): Promise<Look> {
    const at = performance.now()
    if (!known || at - known.at > FRESH_MS) {
      const fresh = { at, look: look() }
      known = fresh
      fresh.look.catch(() => {
        if (known === fresh) known = undefined
      })
    }
    return known.look
  }

  return {
    list: async () => (await now()).found.map(({ id, name, provider }) => ({ id, name, provider })),
    problems: async () => (await now()).problems,
    forget() {
      known = undefined
    },
    async open(id) {
      const found = (await now()).found.find((one) => one.id === id)
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

function silenceOf(text: string | undefined): number {
  if (text === undefined || text === '') return SILENCE_MS
  const read = parseDuration(text)
  if (read.ok) return Math.min(read.value, LONGEST_MS)
  throw new CountersignError('usage', `COUNTERSIGN_CHAT_TIMEOUT: ${read.problem}`)
}

/** A page reads it: what is in an error besides its own sentence stays here. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error
  if (name === 'TimeoutError') return 'it did not answer in time.'
  if (name === 'ModelUnreachable') return 'it cannot be reached.'
  return name === 'Error' ? `${message}.` : 'its answer could not be read.'
}
