import { words } from '../../app/space-separated.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { readShare } from './read-share.ts'

export interface TeamsFlags {
  readonly teamsShare?: string
}

export interface TeamsSecrets {
  readonly appId: string
  readonly appPassword: string
  readonly tenant: string
  readonly keysUrl?: string
  readonly loginUrl?: string
  readonly serviceHosts: readonly string[]
}

/** From the environment alone: what stands on a command line others can read. */
export function teamsSecrets({ env }: Pick<Shell, 'env'>): TeamsSecrets | undefined {
  const { COUNTERSIGN_TEAMS_APP_ID: appId, COUNTERSIGN_TEAMS_KEYS_URL: keysUrl } = env
  if (appId === undefined || appId === '') return undefined
  const loginUrl = env.COUNTERSIGN_TEAMS_LOGIN_URL
  return {
    appId,
    appPassword: env.COUNTERSIGN_TEAMS_APP_PASSWORD ?? '',
    tenant: env.COUNTERSIGN_TEAMS_TENANT ?? '',
    serviceHosts: words(env.COUNTERSIGN_TEAMS_SERVICE_HOSTS),
    ...(keysUrl ? { keysUrl } : {}),
    ...(loginUrl ? { loginUrl } : {}),
  }
}

/** The bot of Teams, where its app id is set. */
export async function readTeamsBot(
  { teamsShare }: TeamsFlags,
  shell: Shell,
): Promise<readonly Channel[]> {
  const secrets = teamsSecrets(shell)
  if (!secrets) {
    if (teamsShare === undefined) return []
    throw usage(
      'the bot of Teams needs an app id',
      'Set COUNTERSIGN_TEAMS_APP_ID; `countersign teams setup` says where it is found.',
    )
  }
  const share = readShare(teamsShare ?? shell.env.COUNTERSIGN_TEAMS_BOT_SHARE, '--teams-share')
  const { teamsBot } = await import('../../channels/teams/teams-bot.ts')
  return [teamsBot({ ...secrets, share })]
}
