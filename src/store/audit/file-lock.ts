import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** A lock this old belongs to a process that died: what is done under one takes milliseconds. */
const STALE_MS = 5_000
const TRY_AGAIN_MS = 5

/**
 * Runs `work` while no other process runs its own under the same lock file. `isHeld` says whether
 * the lock is still ours: a process that stood still for long enough is taken for dead.
 */
export async function withFileLock<T>(
  lock: string,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const token = randomUUID()
  while (!(await take(lock, token))) {
    await removeStale(lock, token)
    await sleep(TRY_AGAIN_MS * (1 + Math.random()))
  }
  const isHeld = async () => (await readFile(lock, 'utf8').catch(() => '')) === token
  try {
    return await work(isHeld)
  } finally {
    if (await isHeld()) await rm(lock, { force: true })
  }
}

/** A link, so that the lock appears whole, with its token, and only once. */
async function take(lock: string, token: string): Promise<boolean> {
  const draft = `${lock}.${token}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(token)
    await file.close()
    await link(draft, lock)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Moved aside first: of several processes that find it, one removes it. */
async function removeStale(lock: string, token: string): Promise<void> {
  if (!(await isStale(lock))) return
  const aside = `${lock}.${token}.stale`
  try {
    await rename(lock, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  // Another process was quicker, and this is its lock: back to where it was.
  if (!(await isStale(aside))) await link(aside, lock).catch(() => {})
  await rm(aside, { force: true })
}

async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
