const LETTERS = '0123456789abcdefghijklmnopqrstuv'

/**
 * A new name for an approval: unguessable (130 random bits), and sortable by creation time, so that
 * a database finds the recent ones together.
 */
export function newId(now = Date.now()): string {
  let id = now.toString(36).padStart(9, '0')
  for (const byte of crypto.getRandomValues(new Uint8Array(26))) id += LETTERS[byte & 31]
  return id
}

/** Whether this could be such a name. */
export function isId(text: string): boolean {
  return /^[0-9a-z]{9}[0-9a-v]{26}$/.test(text)
}
