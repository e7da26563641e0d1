import { inject } from 'vitest'

/** Asks the process that started this one for something that is made for the whole run. */
export async function make(what: 'database' | 'command'): Promise<string> {
  const response = await fetch(new URL(what, inject('maker')), { method: 'POST' })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
