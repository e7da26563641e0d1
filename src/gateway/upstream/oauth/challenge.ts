/** What a server that refuses a request says about how to be let in (RFC 9728, RFC 6750). */
export interface Challenge {
  /** Where it describes itself. */
  readonly metadata?: string
  readonly scopes: readonly string[]
  readonly error?: string
}

const LONGEST = 8_192
export const MOST_SCOPES = 100
// RFC 6749: what a scope may be written with. Anything else could be taken for more than one.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
const BEARER = /(?:^|,)\s*bearer(?:\s+|\s*$)/i
// A value ends the list of this scheme where another scheme begins: a word and a space.
const PARAMETER = /\s*([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)/iy

/** Undefined where it wants something else than a bearer token. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > LONGEST) return undefined
  const found = BEARER.exec(header)
  if (!found) return undefined
  const said = new Map<string, string>()
  PARAMETER.lastIndex = found.index + found[0].length
  for (let match = PARAMETER.exec(header); match; match = PARAMETER.exec(header)) {
    const [, name = '', quoted, plain = ''] = match
    // The first one counts: a second could only be there to contradict it.
    const key = name.toLowerCase()
    if (!said.has(key)) said.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain)
  }
  const [metadata, error] = [said.get('resource_metadata'), said.get('error')]
  return {
    scopes: readScopes(said.get('scope')),
    ...(metadata === undefined ? {} : { metadata }),
    ...(error === undefined ? {} : { error }),
  }
}

/** Each once, in the order given; what cannot be a scope is left out. */
export function readScopes(text: unknown): readonly string[] {
  const words = typeof text === 'string' ? text.split(' ') : Array.isArray(text) ? text : []
  const scopes = words.filter((one): one is string => typeof one === 'string' && SCOPE.test(one))
  return [...new Set(scopes)].slice(0, MOST_SCOPES)
}
