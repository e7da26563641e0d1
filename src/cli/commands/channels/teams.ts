import type { Command } from 'commander'
import { usage } from '../../failure.ts'
import { teamsSecrets } from '../../options/teams-options.ts'
import type { Run, Shell } from '../../shell.ts'

interface Options {
  readonly url?: string
  readonly manifest?: boolean
}

export function addTeams(program: Command, run: Run): void {
  const teams = program
    .command('teams')
    .description('Set up a bot of Microsoft Teams as a channel.')
  teams
    .command('setup')
    .description('Print the manifest of the app, or check the credentials of the bot.')
    .option('--url <address>', 'the address of this server; its messaging endpoint is tried')
    .option('--manifest', 'print the manifest of an app for Teams; needs --url')
    .addHelpText('after', '\nExample:\n  $ countersign teams setup --url https://sign.example.com')
    .action((options: Options) => run((shell) => setup(options, shell)))
}

const WHERE = [
  'Create an Azure Bot (single tenant) at https://portal.azure.com and add the channel Microsoft Teams.',
  'COUNTERSIGN_TEAMS_APP_ID and COUNTERSIGN_TEAMS_TENANT are under Configuration;',
  'COUNTERSIGN_TEAMS_APP_PASSWORD is a client secret of its app registration.',
].join(' ')

async function setup({ url, manifest }: Options, shell: Shell): Promise<number> {
  const { out } = shell
  const secrets = teamsSecrets(shell)
  if (!secrets) throw usage('COUNTERSIGN_TEAMS_APP_ID is not set', WHERE)
  if (manifest) {
    if (url === undefined || !URL.canParse(url)) throw usage('--manifest needs --url', WHERE)
    const { appManifest } = await import('../../../channels/teams/teams-manifest.ts')
    out.line(JSON.stringify(appManifest(secrets.appId, url), null, 2))
    return 0
  }
  const { TEAMS_LOGIN } = await import('../../../channels/teams/teams-connector.ts')
  const { TEAMS_KEYS } = await import('../../../channels/teams/teams-token.ts')
  const { checkSetup } = await import('../../../channels/teams/teams-setup.ts')
  const { loginUrl = TEAMS_LOGIN, keysUrl = TEAMS_KEYS } = secrets
  const isOk = await checkSetup(
    { ...secrets, loginUrl, keysUrl, ...(url === undefined ? {} : { url }) },
    ({ ok, says }) => out.line(`${ok ? 'ok  ' : 'no  '}${says}`),
  )
  return isOk ? 0 : 1
}
