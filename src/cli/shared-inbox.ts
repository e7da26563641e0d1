import type { Countersign } from '../app/create-countersign.ts'
import { packageVersion } from '../app/version.ts'
import { isCountersignError } from '../base/errors.ts'
import type { Serving } from '../server/serve.ts'
import { servedName } from '../store/served-name.ts'
import type { Place } from './state/database.ts'
import { readServerFile, removeServerFile, writeServerFile } from './state/server-file.ts'

/** Where people decide, for programs that are not the server themselves. */
export interface SharedInbox {
  /**
   * The address of the process that serves the inbox now. The first process that finds none serves
   * it. From then on this process checks periodically, and takes over from one that died.
   */
  url(): Promise<string>
  close(): Promise<void>
}

const USUAL_PORT = 4747
const TRUSTED_MS = 5_000
// Not all at the same moment: the first of several to look should be the only one to serve.
const LOOK_MS = 3_000 + Math.random() * 2_000

export function sharedInbox(
  place: Place,
  tenant: string | undefined,
  countersign: Countersign,
): SharedInbox {
  const { folder } = place
  let own: Serving | undefined
  let known: { readonly url: string; readonly at: number } | undefined
  let looking: Promise<string> | undefined
  let watch: ReturnType<typeof setInterval> | undefined

  async function look(): Promise<string> {
    if (own) return own.url
    const other = readServerFile(place, tenant)?.url
    if (other !== undefined && (await answers(other))) {
      known = { url: other, at: performance.now() }
      return other
    }
    own = await serveHere(countersign)
    const about = { pid: process.pid, version: packageVersion() }
    writeServerFile(folder, { url: own.url, ...about, serves: servedName(place, tenant) })
    return own.url
  }

  function again(): Promise<string> {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }

  return {
    url() {
      if (known && performance.now() - known.at < TRUSTED_MS) return Promise.resolve(known.url)
      watch ??= setInterval(() => void again().catch(() => {}), LOOK_MS).unref()
      return again()
    },
    async close() {
      clearInterval(watch)
      await looking?.catch(() => {})
      if (!own) return
      removeServerFile(folder)
      await countersign.close()
      await own.close()
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(2_000) })
    return ok
  } catch {
    return false
  }
}

async function serveHere(countersign: Countersign): Promise<Serving> {
  const { serve } = await import('../server/serve.ts')
  const host = '127.0.0.1'
  try {
    return await serve(countersign, { host, port: USUAL_PORT })
  } catch (error) {
    if (!isCountersignError(error, 'address_in_use')) throw error
    return serve(countersign, { host, port: 0 })
  }
}
