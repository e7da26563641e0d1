/** Builds the inbox: `ensureInbox()` for whoever needs the page, `rebuildInbox()` for publishing. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { lockFolder } from '../scripts/folder-lock.mjs'

const root = import.meta.dirname
const BUILT = path.join(root, 'dist')
const VITE = path.join(root, '../node_modules/vite/bin/vite.js')
const LOCK = path.join(root, '../node_modules/.countersign-inbox-lock')

/** What the build reads. Tests and seeds are not part of the page. */
const SOURCES = [
  ...['index.html', 'vite.config.ts', 'package.json', 'src', 'public', '../package-lock.json'],
  ...['../src/api', '../src/base'],
]

/** Built aside and moved into place, so that half a page is never served. */
async function buildInbox(folder: string): Promise<void> {
  const fresh = path.join(path.dirname(folder), `.dist-inbox-${process.pid}`)
  // In a process of its own: what a test run puts into the environment makes a page for development.
  const { VITEST: _, ...env } = process.env
  try {
    await promisify(execFile)(
      process.execPath,
      [VITE, 'build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'error'],
      { cwd: root, env: { ...env, NODE_ENV: 'production' } },
    )
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** The folder with the built page, built first when a source is newer than it. A few seconds. */
export async function ensureInbox(): Promise<string> {
  return isFresh() ? BUILT : buildHere(isFresh)
}

/** The same, built in any case. */
export function rebuildInbox(): Promise<string> {
  return buildHere(() => false)
}

/** By one process at a time: another one may have built it meanwhile. */
async function buildHere(isDone: () => boolean): Promise<string> {
  const release = await lockFolder(LOCK, () => {})
  try {
    if (!isDone()) await buildInbox(BUILT)
  } finally {
    release()
  }
  return BUILT
}

function isFresh(): boolean {
  const page = path.join(BUILT, 'index.html')
  if (!existsSync(page)) return false
  const made = statSync(page).mtimeMs
  return SOURCES.every((source) => newest(path.join(root, source)) <= made)
}

function newest(place: string): number {
  if (!existsSync(place)) return 0
  const stats = statSync(place)
  if (!stats.isDirectory()) return stats.mtimeMs
  return readdirSync(place).reduce(
    (latest, name) => Math.max(latest, newest(path.join(place, name))),
    stats.mtimeMs,
  )
}

if (import.meta.main) await buildInbox(path.resolve(process.argv[2] ?? BUILT))
