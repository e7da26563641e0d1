const LETTERS = '0123456789abcdefghijklmnopqrstuv'

/**
 * A new name for an approval: nobody can guess it (130 random bits), and names sort by the time
 * they were made, so that a database finds the young ones together.
 */
export function newId(now = Date.now()): string {
  let id = now.toString(36).padStart(9, '0')
  for (const byte of crypto.getRandomValues(new Uint8Array(26))) id += LETTERS[byte & 31]
  return id
}
