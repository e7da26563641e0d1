import type { PersonId } from '../approval/people/person.ts'
import type { Actor } from '../approval/transition.ts'
import type { Risk } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import { canonicalJson } from '../base/json/canonical.ts'
import { digestOf } from '../base/json/digest.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { STUDIO_TOOL_RECORD, STUDIO_VERSION_RECORD } from '../store/records/studio-records.ts'
import { createSecretBox } from '../store/secret-box.ts'
import type { Store } from '../store/store.ts'
import type { KeyFolder } from '../store/vault.ts'
import { createPlaces } from './sandbox/places.ts'
import { type KeyValues, runTool, type ToolRun } from './sandbox/run-tool.ts'
import { createStudioSecrets } from './tools/studio-secrets.ts'
import {
  createStudioStore,
  type Draft,
  type Published,
  passingKeys,
  plain,
  storedKeys,
  type Version,
  versionId,
} from './tools/studio-store.ts'
import {
  checkSpec,
  checkStudioName,
  type HumanInTheLoop,
  isLowering,
  specRisk,
  type ToolSpec,
} from './tools/tool-spec.ts'

/** A published tool, as rules and clients need it. */
export interface LiveTool {
  readonly name: string
  readonly version: number
  readonly digest: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly risk: Risk
  readonly hitl: HumanInTheLoop
  readonly isDestructive: boolean
  readonly isOpenWorld: boolean
}

export interface StudioOptions {
  readonly store: Store
  readonly keys?: KeyFolder | undefined
  /** Hosts of the operator's own network that tools may reach. */
  readonly allowHosts?: readonly string[]
}

export interface PublishOptions {
  /** The draft that was looked at. */
  readonly revision: number
  /** People will be asked less than by default, and that is meant. */
  readonly lowers?: boolean | undefined
}

export interface PublishResult {
  readonly run: ToolRun
  /** Absent: its test did not pass, and nothing changed. */
  readonly version?: number
  readonly why?: string
}

const MOST_TOOLS = 200
const MOST_AT_ONCE = 4

/** Tools written here: drafts, versions, and the copy of what is published that rules go by. */
export function createStudio({ store, keys, allowHosts = [] }: StudioOptions) {
  const kept = createStudioStore(store)
  const secrets = createStudioSecrets(store, createSecretBox(keys, 'studio secrets'))
  const places = createPlaces(MOST_AT_ONCE)
  const listeners = new Set<() => void>()
  let live: ReadonlyMap<string, LiveTool> = new Map()
  let reading: Promise<void> | undefined
  let isBehind = true

  async function readOnce(): Promise<void> {
    const found = await kept.published()
    const versions = await Promise.all(
      found.map(({ name, live: at }) => (at === undefined ? undefined : kept.version(name, at))),
    )
    const next = new Map(
      versions.flatMap((one) => (one ? [[one.name, liveTool(one)] as const] : [])),
    )
    if (sameTools(live, next)) return
    live = next
    for (const changed of listeners) changed()
  }

  /** What is published now. A change that comes while reading is read again. */
  function current(): Promise<void> {
    if (!isBehind) return reading ?? Promise.resolve()
    reading ??= (async () => {
      while (isBehind) {
        isBehind = false
        await readOnce().catch((error: unknown) => {
          isBehind = true
          throw error
        })
      }
    })().finally(() => {
      reading = undefined
    })
    return reading
  }

  const leave = store.onAmended(() => {
    isBehind = true
    current().catch(() => {})
  })

  async function run(
    name: string,
    spec: ToolSpec,
    args: JsonObject,
    how: {
      readonly kv: KeyValues
      readonly isTest: boolean
      readonly signal?: AbortSignal | undefined
    },
  ): Promise<ToolRun> {
    const opened = await secrets.open(name, spec.capabilities.secrets)
    return places.within(() => runTool(spec, args, { ...how, allowHosts, secrets: opened }))
  }

  /**
   * For its author, or as its stored test. No one is asked about that, so what can reach a host, with
   * secrets or without, is on record before it does.
   */
  async function tryOut(
    name: string,
    spec: ToolSpec,
    args: JsonObject,
    { by, signal }: { readonly by: Actor; readonly signal?: AbortSignal | undefined },
  ): Promise<ToolRun> {
    const { net, secrets: named, write } = spec.capabilities
    if (net.length > 0) {
      const digest = await digestOf('studio draft', [name, plain(spec)])
      await store.amend({
        commandId: crypto.randomUUID(),
        event: {
          type: 'studio.tried',
          by,
          facts: { tool: name, digest, hosts: net, secrets: named, write },
        },
        changes: [],
      })
    }
    return run(name, spec, args, { kv: passingKeys(), isTest: true, signal })
  }

  async function draftOf(name: string): Promise<Draft> {
    const draft = await kept.draft(name)
    if (draft) return draft
    throw new CountersignError(
      'not_found',
      `there is no tool ${JSON.stringify(name)} in the studio`,
    )
  }

  async function publish(
    name: string,
    by: PersonId,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const draft = await draftOf(name)
    if (draft.revision !== options.revision) {
      throw new CountersignError('call_changed', 'this draft was changed meanwhile')
    }
    const { spec } = draft
    checkSpec(spec)
    const before = await kept.publishedTool(name)
    const risk = specRisk(spec)
    const lowers = isLowering(
      { mode: spec.hitl.mode, risk },
      live.get(name) && askedBy(live.get(name)),
    )
    if (lowers && options.lowers !== true) {
      throw new CountersignError(
        'lowering_unconfirmed',
        `${name} is ${risk} and people would not be asked about it`,
        { hint: 'Confirm that this is meant, or set its mode to REQUIRED.' },
      )
    }
    const tested = await tryOut(name, spec, spec.test.args, { by: personal(by) })
    const why = failedBecause(spec, tested)
    if (why !== undefined) return { run: tested, why }
    const version = (before?.latest ?? 0) + 1
    const digest = await digestOf('studio tool', [name, version, plain(spec)])
    const person = { issuer: by.issuer, subject: by.subject }
    const isDone = await store.amend({
      commandId: crypto.randomUUID(),
      event: {
        type: 'studio.published',
        by: { person },
        facts: {
          ...{ tool: name, version, digest, risk, mode: spec.hitl.mode, testMs: tested.ms },
          ...(lowers ? { lowers: true } : {}),
        },
      },
      changes: [
        {
          kind: STUDIO_VERSION_RECORD,
          id: versionId(name, version),
          value: plain({ spec, digest, by: person, testMs: tested.ms }),
          expect: 'absent',
        },
        {
          kind: STUDIO_TOOL_RECORD,
          id: name,
          value: { latest: version, live: version },
          expect: before?.revision ?? 'absent',
        },
      ],
    })
    if (!isDone)
      throw new CountersignError('store_busy', 'another person publishes this tool just now')
    isBehind = true
    await current()
    return { run: tested, version }
  }

  async function unpublish(name: string, by: PersonId): Promise<void> {
    const before = await kept.publishedTool(name)
    if (before?.live === undefined) return
    const isDone = await store.amend({
      commandId: crypto.randomUUID(),
      event: {
        type: 'studio.unpublished',
        by: { person: { issuer: by.issuer, subject: by.subject } },
        facts: { tool: name, version: before.live },
      },
      changes: [
        {
          kind: STUDIO_TOOL_RECORD,
          id: name,
          value: { latest: before.latest },
          expect: before.revision,
        },
      ],
    })
    if (!isDone)
      throw new CountersignError('store_busy', 'another person changes this tool just now')
    isBehind = true
    await current()
  }

  /** One call of a client. Only what the rules were told of runs: nothing that changed since. */
  async function call(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolRun> {
    const judged = live.get(name)
    const now = await kept.publishedTool(name)
    const version = now?.live === undefined ? undefined : await kept.version(name, now.live)
    if (!judged || !version || judged.digest !== version.digest) {
      isBehind = true
      await current()
      throw new CountersignError('call_changed', `${name} was changed or unpublished just now`)
    }
    return run(name, version.spec, args, { kv: storedKeys(store, name), isTest: false, signal })
  }

  return {
    kept,
    secrets,
    /** As of the last look; `current` looks. */
    live: () => live,
    current,
    onChange(changed: () => void): () => void {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    async saveDraft(name: string, spec: ToolSpec, by: PersonId, expect: number | 'absent') {
      checkStudioName(name)
      checkSpec(spec)
      if (expect === 'absent' && (await kept.drafts()).length >= MOST_TOOLS) {
        throw new CountersignError('too_large', `the studio holds at most ${MOST_TOOLS} tools`)
      }
      return kept.saveDraft(name, spec, { issuer: by.issuer, subject: by.subject }, expect)
    },
    async runDraft(
      name: string,
      spec: ToolSpec,
      args: JsonObject,
      who: { readonly by: PersonId; readonly signal?: AbortSignal },
    ) {
      checkStudioName(name)
      checkSpec(spec)
      return tryOut(name, spec, args, { ...who, by: personal(who.by) })
    },
    /** The stored test of a published version, again: `why` where it does not pass any more. */
    async retest({ name, spec }: Version, by: Actor): Promise<Omit<PublishResult, 'version'>> {
      const tested = await tryOut(name, spec, spec.test.args, { by })
      const why = failedBecause(spec, tested)
      return { run: tested, ...(why === undefined ? {} : { why }) }
    },
    /** The draft, what it kept and its secrets: the next tool of this name has none of them. */
    async forget(name: string, by: PersonId): Promise<void> {
      for (const secret of await secrets.list(name)) await secrets.remove(name, secret.name, by)
      const keys = storedKeys(store, name)
      for (const key of await keys.keys()) await keys.delete(key)
      await kept.removeDraft(name)
    },
    publish,
    unpublish,
    call,
    close: leave,
  }
}

export type Studio = ReturnType<typeof createStudio>

function liveTool({ name, version, digest, spec }: Version): LiveTool {
  const { description, inputSchema, capabilities, hitl } = spec
  return {
    ...{ name, version, digest, description, inputSchema, hitl },
    risk: specRisk(spec),
    isDestructive: capabilities.write || capabilities.irreversible,
    isOpenWorld: capabilities.net.length > 0,
  }
}

function askedBy(tool: LiveTool | undefined) {
  return tool && { mode: tool.hitl.mode, risk: tool.risk }
}

function personal({ issuer, subject }: PersonId): Actor {
  return { person: { issuer, subject } }
}

function failedBecause({ test }: ToolSpec, { error, result }: ToolRun): string | undefined {
  if (error) return `its test failed: ${error.message}`
  if (test.expect === undefined) return undefined
  const isSame = canonicalText(result ?? null) === canonicalText(test.expect)
  return isSame ? undefined : 'its test gave another result than expected'
}

function canonicalText(value: Json): string {
  return canonicalJson(value)
}

function sameTools(one: ReadonlyMap<string, LiveTool>, other: ReadonlyMap<string, LiveTool>) {
  return (
    one.size === other.size &&
    [...one].every(([name, { digest }]) => other.get(name)?.digest === digest)
  )
}

export type { Draft, Published, Version }
