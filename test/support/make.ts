import path from 'node:path'
import { inject } from 'vitest'

/** Asks the process that started this one for something that is made for the whole run. */
export async function make(
  what: 'database' | 'quiet-database' | 'command' | 'program',
  about: Readonly<Record<string, string>> = {},
): Promise<string> {
  const url = new URL(`${what}?${new URLSearchParams(about)}`, inject('maker'))
  const response = await fetch(url, { method: 'POST' })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

const root = path.resolve(import.meta.dirname, '../..')

/**
 * Where this program of the tests is in a few files. From source it takes two or three times as long
 * to start, and most are started many times. `whole`: with the packages that it uses.
 */
export function program(file: string, { whole = false } = {}): Promise<string> {
  return make('program', { file: path.relative(root, file), whole: whole ? 'yes' : 'no' })
}
