import { CountersignError } from '../../base/errors.ts'

const LONGEST = 512
const LONGEST_HOST = 120

/**
 * The id of a client is the address of its metadata document, so that only the owner of a host can
 * speak for a client there. It counts letter by letter, so just one spelling is taken.
 */
export function readClientId(text: string, allowHosts: readonly string[]): URL {
  const url = text.length <= LONGEST && URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw refused('it is not the address of a metadata document')
  const isAllowed = allowHosts.includes(url.host) || allowHosts.includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isAllowed)) {
    throw refused('it is not an https address')
  }
  if (url.href !== text) throw refused('it is not written the way that browsers write it')
  if (url.username !== '' || url.password !== '') throw refused('it holds a name or a password')
  if (/[?#]/.test(text)) throw refused('it holds a query or a fragment')
  if (url.pathname === '/') throw refused('it has no path')
  if (url.host.length > LONGEST_HOST) throw refused('its host is too long')
  return url
}

function refused(why: string): CountersignError {
  return new CountersignError('invalid_value', `client_id: ${why}`, {
    hint: 'This server takes clients that publish a client ID metadata document.',
  })
}

/**
 * The agent that rules see: the host alone, because everything else about a client is its own words.
 * The prefix keeps it apart from the names that admins give agents.
 */
export function agentOfClient({ host }: URL): string {
  return `oauth.${host.replaceAll(/[^a-z0-9.-]/g, '_')}`
}
