import { randomBytes } from 'node:crypto'

/** 32 letters without I, L, O and U, which are read as others or make words. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 12

/** 60 random bits, as people copy them: `7K2M-Q9XD-04TB`. */
export function newLinkCode(): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => LETTERS[byte & 31]).join('')
  return `${letters.slice(0, 4)}-${letters.slice(4, 8)}-${letters.slice(8)}`
}

/** The code in a message that holds nothing else; undefined: it is none. */
export function readLinkCode(text: string): string | undefined {
  const letters = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  const isCode = letters.length === LENGTH && [...letters].every((one) => LETTERS.includes(one))
  return isCode ? letters : undefined
}
