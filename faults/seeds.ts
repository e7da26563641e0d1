import { type Random, seeded } from '../bench/lib/random.ts'

/** A source of choices of its own for everything that is named by these parts. */
export function randomOf(...parts: readonly (string | number)[]): Random {
  return seeded(hashOf(parts.join('/')))
}

/** FNV-1a: near names give far seeds. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}
