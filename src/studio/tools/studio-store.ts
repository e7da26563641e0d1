import type { PersonId } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import {
  STUDIO_DRAFT_RECORD,
  STUDIO_TOOL_RECORD,
  STUDIO_VERSION_RECORD,
  studioKeysRecord,
} from '../../store/records/studio-records.ts'
import { allRecords, type StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { KeyValues } from '../sandbox/run-tool.ts'
import type { ToolSpec } from './tool-spec.ts'

/** Work in progress. */
export interface Draft {
  readonly name: string
  readonly spec: ToolSpec
  readonly by: PersonId
  readonly at: number
  readonly revision: number
}

/** What was published once, for good. */
export interface Version {
  readonly name: string
  readonly version: number
  readonly spec: ToolSpec
  /** Of everything in the specification. */
  readonly digest: string
  readonly by: PersonId
  readonly at: number
  /** How long its test took. */
  readonly testMs: number
}

/** Whether there is something to call under this name, and what. */
export interface Published {
  readonly name: string
  /** Of the last one that was published. */
  readonly latest: number
  /** Absent: it was unpublished. */
  readonly live?: number
  readonly revision: number
}

export function createStudioStore({ records }: Pick<Store, 'records'>) {
  return {
    async drafts(): Promise<Draft[]> {
      return (await allRecords(records, STUDIO_DRAFT_RECORD)).map(draftOf)
    },
    async draft(name: string): Promise<Draft | undefined> {
      const record = await records.get(STUDIO_DRAFT_RECORD, name)
      return record && draftOf(record)
    },
    async saveDraft(name: string, spec: ToolSpec, by: PersonId, expect: number | 'absent') {
      const value = plain({ spec, by })
      const record = await records.put(STUDIO_DRAFT_RECORD, name, value, { expect })
      if (record) return draftOf(record)
      throw new CountersignError('call_changed', 'this draft was changed meanwhile', {
        hint: 'Load it again: another person saved it after you opened it.',
      })
    },
    removeDraft: (name: string) => records.remove(STUDIO_DRAFT_RECORD, name),
    async published(): Promise<Published[]> {
      return (await allRecords(records, STUDIO_TOOL_RECORD)).map(publishedOf)
    },
    async publishedTool(name: string): Promise<Published | undefined> {
      const record = await records.get(STUDIO_TOOL_RECORD, name)
      return record && publishedOf(record)
    },
    async version(name: string, version: number): Promise<Version | undefined> {
      const record = await records.get(STUDIO_VERSION_RECORD, versionId(name, version))
      return record && versionOf(record, name, version)
    },
  }
}

export function versionId(name: string, version: number): string {
  return `${name}/${version}`
}

export function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}

function draftOf({ id, value, at, revision }: StoredRecord): Draft {
  return { ...(value as unknown as Pick<Draft, 'spec' | 'by'>), name: id, at, revision }
}

function publishedOf({ id, value, revision }: StoredRecord): Published {
  return { ...(value as unknown as Omit<Published, 'name' | 'revision'>), name: id, revision }
}

function versionOf({ value, at }: StoredRecord, name: string, version: number): Version {
  return { ...(value as unknown as Omit<Version, 'name' | 'version' | 'at'>), name, version, at }
}

const MOST_KEYS = 200
const MOST_VALUE = 16_384

/** What a published tool keeps. */
export function storedKeys({ records }: Pick<Store, 'records'>, tool: string): KeyValues {
  const kind = studioKeysRecord(tool)
  return {
    get: async (key) => (await records.get(kind, key))?.value,
    async set(key, value) {
      assertFits(value)
      const isNew = !(await records.get(kind, key))
      const { records: kept } = await records.list(kind, { limit: MOST_KEYS })
      if (isNew && kept.length >= MOST_KEYS) throw new Error(`a tool has at most ${MOST_KEYS} keys`)
      await records.put(kind, key, value)
    },
    async delete(key) {
      await records.remove(kind, key)
    },
    keys: async () => (await records.list(kind, { limit: MOST_KEYS })).records.map(({ id }) => id),
  }
}

function assertFits(value: Json): void {
  if (JSON.stringify(value).length > MOST_VALUE) {
    throw new Error(`a value has at most ${MOST_VALUE} characters as JSON`)
  }
}

/** For drafts and tests: nothing of what the published tool keeps is read or changed. */
export function passingKeys(): KeyValues {
  const kept = new Map<string, Json>()
  return {
    get: async (key) => kept.get(key),
    async set(key, value) {
      assertFits(value)
      kept.set(key, value)
    },
    delete: async (key) => void kept.delete(key),
    keys: async () => [...kept.keys()],
  }
}
