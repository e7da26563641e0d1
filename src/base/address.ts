import { failure, type Result, success } from './result.ts'

/*
 * E-mail addresses of people. They decide who may approve what, so there is one way to write them:
 * the bare address in ASCII, without a display name or spaces around it.
 */

const LONGEST = 254
// Labels are never empty: `ana@example.com.` is delivered to the same person as without the dot.
const LABEL = '[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?'
const ADDRESS = new RegExp(`^[!#-'*+\\-./0-9=?A-Z^-z{|}~]+@${LABEL}(?:\\.${LABEL})*$`)

export function parseAddress(text: string): Result<string> {
  if (text.length > LONGEST) return failure(`an e-mail address has at most ${LONGEST} characters`)
  return ADDRESS.test(text)
    ? success(foldAddress(text))
    : failure('this is not a plain e-mail address, such as ana@example.com')
}

/**
 * For comparing addresses that let a person in. Only A-Z are folded: by the rules of Unicode the
 * Kelvin sign would become a k, and one person another.
 */
export function foldAddress(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
