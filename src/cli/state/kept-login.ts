import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { isPlainObject } from '../../base/json/json.ts'
import { urlBelow } from '../../base/net/url-below.ts'
import type { Shell } from '../shell.ts'
import { STATE_FOLDER } from './database.ts'

/** A session on another server, kept for the commands of this user. */
export interface KeptLogin {
  readonly url: string
  readonly cookie: string
  readonly csrf: string
}

export function readLogin(url: string, shell: Shell): KeptLogin | undefined {
  const found = readAll(shell)[urlBelow(url, '/').href]
  return isLogin(found) ? found : undefined
}

/** Readable by their owner only. */
export function keepLogin(login: KeptLogin, shell: Shell): string {
  const file = fileOf(shell)
  const folder = path.dirname(file)
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.tmp`
  const all = { ...readAll(shell), [urlBelow(login.url, '/').href]: login }
  writeFileSync(draft, `${JSON.stringify(all, undefined, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  return file
}

function fileOf({ env }: Shell): string {
  return path.join(env.HOME || homedir(), STATE_FOLDER, 'logins.json')
}

function readAll(shell: Shell): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(shell), 'utf8'))
    return isPlainObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isLogin(value: unknown): value is KeptLogin {
  return (
    isPlainObject(value) &&
    [value.url, value.cookie, value.csrf].every((one) => typeof one === 'string')
  )
}
