/** Builds the inbox: `buildInbox(folder)` for publishing, `ensureInbox()` for a checkout. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'

const root = import.meta.dirname
const BUILT = path.join(root, 'dist')

/** What the build reads. Tests and the stand-in server are not part of the page. */
const SOURCES = ['index.html', 'vite.config.ts', 'package.json', 'src', '../package-lock.json']

/** Built aside and moved into place, so that nobody is ever served half a page. */
export async function buildInbox(folder: string): Promise<void> {
  const { build } = await import('vite')
  const fresh = path.join(path.dirname(folder), `.inbox-${process.pid}`)
  try {
    await build({
      root,
      configFile: path.join(root, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: fresh, emptyOutDir: true },
    })
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** The folder with the built page, built first when a source is newer than it. About 2 s. */
export async function ensureInbox(): Promise<string> {
  const page = path.join(BUILT, 'index.html')
  const made = existsSync(page) ? statSync(page).mtimeMs : 0
  if (SOURCES.some((source) => newest(path.join(root, source)) > made)) await buildInbox(BUILT)
  return BUILT
}

function newest(place: string): number {
  if (!existsSync(place)) return 0
  const { mtimeMs } = statSync(place)
  if (!statSync(place).isDirectory()) return mtimeMs
  return readdirSync(place).reduce(
    (latest, name) => Math.max(latest, newest(path.join(place, name))),
    mtimeMs,
  )
}

if (import.meta.main) await buildInbox(process.argv[2] ?? BUILT)
