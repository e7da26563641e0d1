import type { Command } from 'commander'
import { usage } from '../../failure.ts'
import { slackSecrets } from '../../options/slack-options.ts'
import type { Run, Shell } from '../../shell.ts'

interface Options {
  readonly to?: string
  readonly manifest?: boolean
  readonly url?: string
}

export function addSlack(program: Command, run: Run): void {
  const slack = program.command('slack').description('Set up Slack as a channel.')
  slack
    .command('setup')
    .description('Print the manifest of an app, or check its tokens, scopes and a round trip.')
    .option('--manifest', 'print a manifest for https://api.slack.com/apps')
    .option('--url <address>', 'in the manifest: signed requests to this server, no Socket Mode')
    .option('--to <address>', 'send this person a message with a button to press')
    .addHelpText('after', '\nExample:\n  $ countersign slack setup --to ana@example.com')
    .action((options: Options) => run((shell) => setup(options, shell)))
}

const WHERE = [
  'Create an app at https://api.slack.com/apps from the output of `countersign slack setup --manifest`, and install it.',
  'COUNTERSIGN_SLACK_BOT_TOKEN is under OAuth & Permissions (xoxb-…);',
  'COUNTERSIGN_SLACK_APP_TOKEN under Basic Information, App-Level Tokens, with connections:write (xapp-…);',
  'COUNTERSIGN_SLACK_SIGNING_SECRET, for servers with a public address, under Basic Information.',
].join(' ')

async function setup({ to, manifest, url }: Options, shell: Shell): Promise<number> {
  const { out } = shell
  if (manifest === true) {
    const { slackManifest } = await import('../../../channels/slack/slack-manifest.ts')
    const address = url === undefined ? undefined : `${url.replace(/\/$/, '')}/v1/channels/slack`
    out.line(JSON.stringify(slackManifest(address), null, 2))
    return 0
  }
  const secrets = slackSecrets(shell)
  if (!secrets) throw usage('COUNTERSIGN_SLACK_BOT_TOKEN is not set', WHERE)
  const { checkSetup } = await import('../../../channels/slack/slack-setup.ts')
  const { botToken, appToken, apiUrl = 'https://slack.com/api' } = secrets
  const options = { botToken, apiUrl, ...(appToken ? { appToken } : {}), ...(to ? { to } : {}) }
  const isOk = await checkSetup(options, ({ ok, says }) =>
    out.line(`${ok ? 'ok  ' : 'no  '}${says}`),
  )
  if (appToken === undefined && secrets.signingSecrets.length === 0) {
    out.line('no  Without an app token or a signing secret people are told, and cannot answer.')
  }
  return isOk ? 0 : 1
}
