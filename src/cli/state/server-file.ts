import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isPlainObject } from '../../base/json/json.ts'
import { servedName } from '../../store/served-name.ts'
import type { Place } from './database.ts'

/** Which server runs on a database, written beside it for the other commands. */
export interface ServerFile {
  /** What people open. */
  readonly url: string
  /** The same server without a proxy, for commands on its own machine. */
  readonly local?: string
  readonly pid: number
  readonly version: string
  /** What it serves: several databases and tenants may share a folder. */
  readonly serves: string
  /** How the hook of a coding agent asks it; absent where it does not answer hooks. */
  readonly hook?: HookServer
}

export interface HookServer {
  /** On this machine, also where people use another address. */
  readonly url: string
  /** Proves to either side that the other one can read this file. New with every start. */
  readonly key: string
  /** Files that decide and that are not known by their name. */
  readonly files: readonly string[]
}

const NAME = 'server.json'

export function writeServerFile(folder: string, server: ServerFile): void {
  const file = path.join(folder, NAME)
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(server, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** The server that runs on these approvals. One that serves others is as good as none. */
export function readServerFile(place: Place, tenant: string | undefined): ServerFile | undefined {
  const found = readAnyServerFile(place.folder)
  return found?.serves === servedName(place, tenant) ? found : undefined
}

/** Whatever server wrote it. */
export function readAnyServerFile(folder: string): ServerFile | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path.join(folder, NAME), 'utf8'))
    const isOurs = isPlainObject(value) && typeof value.url === 'string'
    return isOurs ? (value as unknown as ServerFile) : undefined
  } catch {
    return undefined
  }
}

/** Only by the one who wrote it: another may have started since. */
export function removeServerFile(folder: string): void {
  if (readAnyServerFile(folder)?.pid === process.pid)
    rmSync(path.join(folder, NAME), { force: true })
}
