import { CapabilityDenied } from './capabilities.ts'

/** A value that goes out with requests to the hosts it was given for, and nowhere else. */
export interface Secret {
  readonly name: string
  readonly value: string
  readonly hosts: readonly string[]
}

const MARK = /\{\{secret:([A-Za-z_][A-Za-z0-9_]{0,63}):([0-9a-f]{32})\}\}/g
const SECRET_SHOWN = '[secret]'

/**
 * Puts the values in the place of their marks, for a request to this host. A mark holds a word that
 * only this run was told: one that an agent, an answer or a kept value brings along stays text.
 */
export function withSecrets(
  text: string,
  { secrets, word }: { readonly secrets: readonly Secret[]; readonly word: string },
  url: URL,
): string {
  return text.replaceAll(MARK, (mark, name: string, said: string) => {
    if (said !== word) return mark
    const secret = secrets.find((one) => one.name === name)
    if (!secret) throw new CapabilityDenied(`secrets: ${name}`)
    if (!secret.hosts.includes(url.host) && !secret.hosts.includes(url.hostname)) {
      throw new Error(
        `the secret ${name} was not given for ${url.host}; enter its value again to allow that`,
      )
    }
    return secret.value
  })
}

/** Takes the values out of what comes back, also as they are commonly written. */
export function secretHider(secrets: readonly Secret[]): (text: string) => string {
  const forms = secrets.flatMap(({ value }) => [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
    Buffer.from(value).toString('hex'),
  ])
  // The longest first: one may be the beginning of another.
  const known = [...new Set(forms)]
    .filter(({ length }) => length > 0)
    .sort((a, b) => b.length - a.length)
  return (text) => known.reduce((shown, form) => shown.replaceAll(form, SECRET_SHOWN), text)
}
