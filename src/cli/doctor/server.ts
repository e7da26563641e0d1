import type { Shell } from '../shell.ts'
import type { ServerFile } from '../state/server-file.ts'
import { type Finding, note, ok, problem, warning } from './finding.ts'

/** Whether the server that says it runs does, and is reached the way people should reach it. */
export async function serverFindings(
  server: ServerFile | undefined,
  version: string,
  env: Shell['env'],
): Promise<Finding[]> {
  return [...(await reached(server, version)), publicAddress(env), ...clientAddress(server, env)]
}

async function reached(server: ServerFile | undefined, version: string): Promise<Finding[]> {
  if (!server)
    return [note('server', 'no server runs on this database', 'Run `countersign start`.')]
  const { url, pid } = server
  const ready = await fetch(new URL('/readyz', server.local ?? url), {
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  if (!ready) {
    const fix = 'Start it again; if it ended badly, `countersign start` replaces server.json.'
    return [problem('server', `${url} does not answer, though pid ${pid} wrote server.json`, fix)]
  }
  if (!ready.ok) return [problem('server', `${url} is not ready: ${ready.status}`, 'See its log.')]
  const good = ok('server', `${url} and its database answer`)
  if (server.version === version) return [good]
  const says = `the server is ${server.version}, this command ${version}`
  return [good, warning('server', says, 'Restart the server after an update.')]
}

function publicAddress({ COUNTERSIGN_PUBLIC_URL: text }: Shell['env']): Finding {
  if (!text) {
    return note(
      'address',
      'no public address is set: this machine only, without TLS',
      'For other machines see docs/operate/tls-and-proxies.md.',
    )
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && url.pathname === '/' && url.search === ''
    ? ok('address', `people come over ${url.origin}; the cookie is Secure and bound to it`)
    : problem(
        'address',
        'COUNTERSIGN_PUBLIC_URL is not an https address without a path',
        'Use https://NAME, and end TLS in a proxy.',
      )
}

function clientAddress(
  server: ServerFile | undefined,
  { COUNTERSIGN_URL: client }: Shell['env'],
): Finding[] {
  if (!client || !server || !URL.canParse(client)) return []
  if (new URL(client).host === new URL(server.url).host) return []
  return [
    warning(
      'address',
      'COUNTERSIGN_URL names another server than the one on this database',
      'Unset it, or use the --db of that server.',
    ),
  ]
}
