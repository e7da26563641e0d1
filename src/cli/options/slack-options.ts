import { words } from '../../app/space-separated.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { readPairs } from './read-pairs.ts'
import { readShare } from './read-share.ts'

export interface SlackFlags {
  readonly slackShare?: string
  readonly slackChannel?: readonly string[]
}

export interface SlackSecrets {
  readonly botToken: string
  readonly appToken?: string
  readonly signingSecrets: readonly string[]
  readonly apiUrl?: string
}

/** From the environment alone: what stands on a command line others can read. */
export function slackSecrets({ env }: Pick<Shell, 'env'>): SlackSecrets | undefined {
  const { COUNTERSIGN_SLACK_BOT_TOKEN: botToken, COUNTERSIGN_SLACK_APP_TOKEN: appToken } = env
  const { COUNTERSIGN_SLACK_API_URL: apiUrl } = env
  if (botToken === undefined || botToken === '') return undefined
  return {
    botToken,
    ...(appToken ? { appToken } : {}),
    signingSecrets: words(env.COUNTERSIGN_SLACK_SIGNING_SECRET),
    ...(apiUrl ? { apiUrl } : {}),
  }
}

/** Slack, where a bot token is set. */
export async function readSlack(flags: SlackFlags, shell: Shell): Promise<readonly Channel[]> {
  const { env } = shell
  const secrets = slackSecrets(shell)
  if (!secrets) {
    if (flags.slackShare === undefined && flags.slackChannel === undefined) return []
    throw usage(
      'Slack needs a bot token',
      'Set COUNTERSIGN_SLACK_BOT_TOKEN; `countersign slack setup` says where it is found.',
    )
  }
  const share = readShare(flags.slackShare ?? env.COUNTERSIGN_SLACK_SHARE, '--slack-share')
  const pairs = [...(flags.slackChannel ?? []), ...words(env.COUNTERSIGN_SLACK_CHANNELS)]
  const { slack } = await import('../../channels/slack/slack.ts')
  return [
    slack({
      ...secrets,
      share,
      channels: readPairs(
        pairs,
        'Write --slack-channel finance=C0123456789, with the id of the channel.',
      ),
    }),
  ]
}
