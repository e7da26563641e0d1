import type { Command } from 'commander'
import { usage } from '../../failure.ts'
import { type OidcFlags, readOidc } from '../../options/oidc-options.ts'
import type { Run, Shell } from '../../shell.ts'

interface Options extends Pick<OidcFlags, 'oidcIssuer' | 'oidcClientId'> {
  readonly try?: string
  readonly acr?: readonly string[]
}

export function addCiba(program: Command, run: Run): void {
  const ciba = program
    .command('ciba')
    .description('Set up questions on a person’s device, by the sign-in provider.')
  ciba
    .command('setup')
    .description('Check that the provider offers CIBA, and try a round trip with one person.')
    .option('--oidc-issuer <url>', 'the provider that people sign in with')
    .option(
      '--oidc-client-id <id>',
      'this server’s name there; its secret is in COUNTERSIGN_OIDC_CLIENT_SECRET',
    )
    .option('--try <login-hint>', 'ask this person, as the provider knows them; it decides nothing')
    .option('--acr <values...>', 'authentication contexts to ask for')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign ciba setup --oidc-issuer https://id.example.com --oidc-client-id countersign --try ana',
    )
    .action((options: Options) => run((shell) => setup(options, shell)))
}

async function setup(options: Options, { env, out }: Shell): Promise<number> {
  const oidc = readOidc(options, env)
  if (!oidc) {
    throw usage(
      'no provider is named',
      'Give --oidc-issuer and --oidc-client-id as for `countersign start`.',
    )
  }
  const { createBackchannel } = await import('../../../server/identity/backchannel.ts')
  const { createDiscovery } = await import('../../../server/identity/oidc-client.ts')
  const { checkSetup } = await import('../../../channels/ciba/ciba-setup.ts')
  const backchannel = createBackchannel(createDiscovery(oidc))
  const isOk = await checkSetup(
    {
      backchannel,
      acr: options.acr ?? [],
      ...(options.try === undefined ? {} : { tries: options.try }),
    },
    ({ ok, says }) => out.line(`${ok ? 'ok  ' : 'no  '}${says}`),
  )
  return isOk ? 0 : 1
}
