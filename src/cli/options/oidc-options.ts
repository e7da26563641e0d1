import type { Command } from 'commander'
import type { OidcOptions } from '../../server/identity/oidc.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'

/** What a command line says about signing in with a provider. */
export interface OidcFlags {
  readonly oidcIssuer?: string
  readonly oidcClientId?: string
  readonly oidcName?: string
  readonly oidcGroupsClaim?: string
  readonly oidcViewerGroup?: readonly string[]
  readonly oidcApproverGroup?: readonly string[]
  readonly oidcAdminGroup?: readonly string[]
}

const SECRET = 'COUNTERSIGN_OIDC_CLIENT_SECRET'

export function takesOidc(command: Command): Command {
  return command
    .option('--oidc-issuer <url>', 'people sign in with this OpenID Connect provider')
    .option('--oidc-client-id <id>', `this server's name there; its secret is in ${SECRET}`)
    .option('--oidc-name <text>', 'what the button says')
    .option('--oidc-groups-claim <name>', 'the claim that lists groups; groups unless set')
    .option('--oidc-viewer-group <groups...>', 'groups that may look; * is every user there')
    .option('--oidc-approver-group <groups...>', 'groups with the approver role')
    .option('--oidc-admin-group <groups...>', 'groups with the admin role')
}

export function readOidc(flags: OidcFlags, env: Shell['env']): OidcOptions | undefined {
  const { oidcIssuer, oidcClientId: clientId, oidcName: name, oidcGroupsClaim } = flags
  if (oidcIssuer === undefined && clientId === undefined) return undefined
  if (oidcIssuer === undefined || clientId === undefined) {
    throw usage(
      '--oidc-issuer and --oidc-client-id belong together',
      'Give both, or none to sign in with links only.',
    )
  }
  const clientSecret = env[SECRET]
  const roles = {
    ...(flags.oidcViewerGroup ? { viewer: flags.oidcViewerGroup } : {}),
    ...(flags.oidcApproverGroup ? { approver: flags.oidcApproverGroup } : {}),
    ...(flags.oidcAdminGroup ? { admin: flags.oidcAdminGroup } : {}),
  }
  return {
    issuer: readIssuer(oidcIssuer),
    clientId,
    ...(clientSecret === undefined || clientSecret === '' ? {} : { clientSecret }),
    ...(name === undefined ? {} : { name }),
    ...(oidcGroupsClaim === undefined ? {} : { groupsClaim: oidcGroupsClaim }),
    roles,
  }
}

function readIssuer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '')
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)
  if (url && isSafe && !url.username && !url.search && !url.hash) return url
  throw usage(
    '--oidc-issuer is not an https address',
    'Use the issuer as its /.well-known/openid-configuration names it.',
  )
}
