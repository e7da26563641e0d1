import { CountersignError } from '../../base/errors.ts'
import { digestOf } from '../../base/json/digest.ts'
import { refusedAddress } from '../../base/net/egress.ts'
import { isSecretName } from '../../base/secrets/secret-name.ts'
import type { Connection } from '../../policy/document.ts'
import { inheritedEnv, plainEnv } from './child-command.ts'
import type { ServerCredentials } from './credentials.ts'
import type { HostedTools } from './hosted-server.ts'

/** A server to stand in front of, named by its operator: in a file or on the command line. */
export type UpstreamSpec = StdioSpec | HttpSpec | HostedSpec

export interface StdioSpec {
  readonly kind: 'stdio'
  readonly alias: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  /** All of what the command sees. */
  readonly env: Readonly<Record<string, string>>
  /** Values that no answer and no log may show. */
  readonly secrets: readonly string[]
}

export interface HttpSpec {
  readonly kind: 'http'
  readonly alias: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Hosts that may be reached although they are not on the public internet. */
  readonly allowHosts: readonly string[]
  readonly secrets: readonly string[]
  /** Where its users sign in, and no header of the file does it for them. */
  readonly credentials?: ServerCredentials
}

/** Tools of this program itself: nothing is started and nothing is connected to. */
export interface HostedSpec {
  readonly kind: 'hosted'
  readonly alias: string
  readonly tools: HostedTools
  readonly secrets: readonly string[]
}

/** How an operator lets a server of their own network be reached. */
export const ALLOW_HINT =
  'If it is a server of your own network, name its host with --mcp-allow or COUNTERSIGN_MCP_ALLOW.'

type Env = Readonly<Record<string, string | undefined>>

/** Undefined where the file does not say how to reach the server. */
export function specOf(
  alias: string,
  { command, args = [], env = {}, cwd, url, headers = {} }: Connection,
  own: Env,
  allowHosts: readonly string[] = [],
): UpstreamSpec | undefined {
  const secrets = new Set<string>()
  const fill = (text: string) => filled(alias, text, own, secrets)
  if (command !== undefined) {
    const given = mapped(env, fill)
    return {
      kind: 'stdio',
      alias,
      command: fill(command),
      args: args.map(fill),
      cwd,
      env: { ...plainEnv(own, process.platform), ...given },
      secrets: [...new Set([...secretsOf(given), ...secrets])],
    }
  }
  if (url === undefined) return undefined
  const sent = mapped(headers, fill)
  const where = addressOf(alias, fill(url), allowHosts)
  return {
    kind: 'http',
    alias,
    ...where,
    headers: sent,
    secrets: [...new Set([...secretsOf(sent), ...secrets])],
  }
}

/** A command line stands for itself: it gets the environment it would have without us. */
export function commandSpec(
  alias: string,
  [command = '', ...args]: readonly string[],
  own: Env,
): StdioSpec {
  const env = inheritedEnv(own)
  return { kind: 'stdio', alias, command, args, cwd: undefined, env, secrets: secretsOf(env) }
}

/** What no answer and no log may show, as of now: tokens change. */
export function hiddenOf(spec: UpstreamSpec): readonly string[] {
  const tokens = spec.kind === 'http' ? (spec.credentials?.secrets ?? []) : []
  return tokens.length === 0 ? spec.secrets : [...spec.secrets, ...tokens]
}

/** Names what the operator wrote, not what it was filled with: a new password is no new server. */
export function identityOf(spec: UpstreamSpec): Promise<string> {
  if (spec.kind === 'hosted') return digestOf('mcp server', ['hosted', spec.alias])
  if (spec.kind === 'http') return digestOf('mcp server', [spec.url.href])
  const { command, args, cwd } = spec
  return digestOf('mcp server', [command, args, cwd ?? null])
}

/** Adds what stood under the name of a secret: it may be filled into arguments and addresses, too. */
function filled(alias: string, text: string, env: Env, secrets: Set<string>): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = env[name]
    if (value !== undefined) {
      for (const secret of secretsOf({ [name]: value })) secrets.add(secret)
      return value
    }
    throw new CountersignError('usage', `server ${alias} needs the variable ${name}`, {
      hint: `Set ${name} in the environment of countersign.`,
    })
  })
}

export function isThisMachine({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/**
 * Plain http is for this machine: anywhere else, others could read and answer. A server on this
 * machine is what the operator wrote; any other address inside a network has to be allowed.
 */
function addressOf(alias: string, text: string, allowed: readonly string[]) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && isThisMachine(url)
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLocal)) {
    throw new CountersignError('usage', `the address of server ${alias} cannot be used`, {
      hint: 'Use https, or http for a server on this machine.',
    })
  }
  const allowHosts = isLocal ? [url.host, ...allowed] : allowed
  const refused = refusedAddress(url, allowHosts)
  if (refused === undefined) return { url, allowHosts }
  throw new CountersignError('usage', `the address of server ${alias} cannot be used: ${refused}`, {
    hint: ALLOW_HINT,
  })
}

// Shorter values stand in results for many other reasons.
const SHORTEST_SECRET = 8
// Alone it may name anything in arguments; among settings of a program it is a key to something.
const KEY_NAME = /(?:^|[^a-z])(?:key|auth)$/i

function secretsOf(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values)
    .filter(
      ([name, value]) =>
        (isSecretName(name) || KEY_NAME.test(name)) && value.length >= SHORTEST_SECRET,
    )
    .map(([, value]) => value.replace(/^(?:Bearer|Basic) /i, ''))
}

function mapped(values: Readonly<Record<string, string>>, change: (text: string) => string) {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, change(text)]))
}
