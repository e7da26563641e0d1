import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { WireServer } from '../../api/servers.ts'
import { CountersignError } from '../../base/errors.ts'
import { urlBelow } from '../../base/net/url-below.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import { type Api, keptAt, newLink, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

const EVERY_MS = 1_000
const LONGEST_MS = 600_000

/** Below `mcp`: signing in at a server behind the gate, and out again. */
export function addMcpSignIn(mcp: Command, run: Run): void {
  takesDatabase(mcp.command('login'))
    .description('Sign in at an MCP server whose users sign in by OAuth, in the browser.')
    .argument('<server>', 'its alias in the policy')
    .addHelpText('after', '\nExample:\n  $ countersign mcp login github')
    .action((server: string, _: unknown, command: Command) =>
      run((shell) => login(server, command.optsWithGlobals<DatabaseOptions>(), shell)),
    )
  takesDatabase(mcp.command('logout'))
    .description('Forget the tokens of an MCP server.')
    .argument('<server>', 'its alias in the policy')
    .addHelpText('after', '\nExample:\n  $ countersign mcp logout github')
    .action((server: string, _: unknown, command: Command) =>
      run((shell) => logout(server, command.optsWithGlobals<DatabaseOptions>(), shell)),
    )
}

/** The page has the button, says where it leads, and is where the browser comes back to. */
async function login(server: string, options: DatabaseOptions, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const before = await find(api, server)
    out.line(`Open this page, and sign in at ${printable(server)} there:`)
    out.line(`  ${await pageFor(options, shell)}`)
    for (let waited = 0; waited < LONGEST_MS; waited += EVERY_MS) {
      const { signIn } = await find(api, server)
      if (signIn?.last && signIn.last.at !== before.signIn?.last?.at) {
        out.line(`Signed in at ${printable(server)}: ${printable(signIn.last.issuer)}`)
        return 0
      }
      await sleep(EVERY_MS)
    }
    throw new CountersignError('server_sign_in', 'no person signed in within ten minutes')
  })
}

async function logout(server: string, options: DatabaseOptions, shell: Shell): Promise<number> {
  return withSession(options, shell, async (api) => {
    await api.call('DELETE /v1/servers/:server/sign-in', { params: { server } })
    shell.out.line(`Signed out of ${printable(server)}.`)
    return 0
  })
}

async function find(api: Api, alias: string): Promise<WireServer> {
  const { servers } = await api.call('GET /v1/servers')
  const found = servers.find((one) => one.alias === alias)
  if (found) return found
  throw usage(
    `the policy has no server ${printable(alias)}`,
    `Use one of: ${servers.map((one) => printable(one.alias)).join(', ') || 'there is none'}.`,
  )
}

/** On this machine the link signs in as well, once; elsewhere the person is signed in already. */
async function pageFor(options: DatabaseOptions, shell: Shell): Promise<string> {
  const kept = keptAt(options, shell)
  if (kept !== undefined) return urlBelow(kept, '/tools').href
  const { url, token } = await newLink(options, shell)
  return `${urlBelow(url, '/tools').href}#signin=${token}`
}
