import { readFile, stat } from 'node:fs/promises'
import { guardedGet } from '../http/guarded-get.ts'

const LONGEST = 5_000_000
const TIMEOUT_MS = 10_000

/** The text of a calendar. What it throws says why, and repeats no part of the address. */
export async function fetchCalendar(
  place: string,
  { allowHosts }: { readonly allowHosts: readonly string[] },
): Promise<string> {
  if (!/^https?:\/\//i.test(place)) return ofFile(place)
  const { bytes } = await guardedGet(new URL(place), {
    allowHosts,
    accept: 'text/calendar',
    longest: LONGEST,
    timeoutMs: TIMEOUT_MS,
  })
  return new TextDecoder().decode(bytes)
}

async function ofFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  // A pipe or a device could keep this waiting for ever.
  if (!found?.isFile()) throw new Error('its file is not there')
  if (found.size > LONGEST) throw new Error('its file is larger than 5 MB')
  return readFile(path, 'utf8').catch(() => {
    throw new Error('its file cannot be read')
  })
}
