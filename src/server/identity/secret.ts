import { hash, randomBytes } from 'node:crypto'

/** 256 random bits, in 43 characters that fit into URLs, cookies and headers. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export const SECRET = /^[A-Za-z0-9_-]{43}$/

/** What is stored of a secret: a reader of the database cannot use it. */
export function hashSecret(purpose: string, secret: string): string {
  return hash('sha256', `countersign.${purpose}.v1:${secret}`)
}

/** Looks at every character, wherever they begin to differ. */
export function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let differing = 0
  for (let at = 0; at < a.length; at++) differing |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return differing === 0
}
