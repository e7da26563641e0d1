import { readFileSync } from 'node:fs'
import path from 'node:path'
import { words } from '../app/space-separated.ts'
import type { Channel } from '../gate/notify/channel.ts'
import { usage } from './failure.ts'
import { why } from './files.ts'
import { type CibaFlags, readCiba } from './options/ciba-options.ts'
import { type DiscordFlags, readDiscord } from './options/discord-options.ts'
import { type MailFlags, readMail } from './options/mail-options.ts'
import { readShare } from './options/read-share.ts'
import { readSlack, type SlackFlags } from './options/slack-options.ts'
import { readTeamsBot, type TeamsFlags } from './options/teams-options.ts'
import { readTelegram, type TelegramFlags } from './options/telegram-options.ts'
import type { Shell } from './shell.ts'

export interface ChannelOptions
  extends SlackFlags,
    TelegramFlags,
    DiscordFlags,
    TeamsFlags,
    CibaFlags,
    MailFlags {
  readonly webhook?: readonly string[]
  readonly webhookAllow?: readonly string[]
  readonly webhookShare?: string
}

/** Every way in which this server tells people, besides the inbox. */
export async function readChannels(options: ChannelOptions, shell: Shell): Promise<Channel[]> {
  return [
    ...(await readWebhooks(options, shell)),
    ...(await readSlack(options, shell)),
    ...(await readTelegram(options, shell)),
    ...(await readDiscord(options, shell)),
    ...(await readTeamsBot(options, shell)),
    ...(await readCiba(options, shell)),
    ...(await readMail(options, shell)),
    ...(await readNtfy(shell)),
    ...(await readTeams(shell)),
  ]
}

/** A topic is a secret, too: all who know its name read along. So no flag names one. */
async function readNtfy({ env }: Shell): Promise<Channel[]> {
  const urls = [...new Set(words(env.COUNTERSIGN_NTFY_URL))]
  if (urls.length === 0) return []
  const share = readShare(env.COUNTERSIGN_NTFY_SHARE, 'COUNTERSIGN_NTFY_SHARE')
  const allowHosts = words(env.COUNTERSIGN_NTFY_ALLOW)
  const { ntfy } = await import('../channels/ntfy.ts')
  return urls.map((url) => ntfy({ url, token: env.COUNTERSIGN_NTFY_TOKEN, share, allowHosts }))
}

/** The address of a workflow holds its signature, so no flag names one. */
async function readTeams({ env }: Shell): Promise<Channel[]> {
  const urls = [...new Set(words(env.COUNTERSIGN_TEAMS_WORKFLOW_URL))]
  if (urls.length === 0) return []
  const share = readShare(env.COUNTERSIGN_TEAMS_SHARE, 'COUNTERSIGN_TEAMS_SHARE')
  const allowHosts = words(env.COUNTERSIGN_TEAMS_ALLOW)
  const { teams } = await import('../channels/teams.ts')
  return urls.map((url) => teams({ url, share, allowHosts }))
}

/** Secrets come from the environment or a file: what stands on a command line others can read. */
async function readWebhooks(
  { webhook: urls = [], webhookAllow: allow = [], webhookShare }: ChannelOptions,
  shell: Shell,
): Promise<Channel[]> {
  const { env } = shell
  const all = [...new Set([...urls, ...words(env.COUNTERSIGN_WEBHOOK_URL)])]
  if (all.length === 0) return []
  const secrets = readSecrets(shell)
  if (secrets.length === 0) {
    throw usage(
      'a webhook needs a secret, so that its receiver knows who sends',
      'Set COUNTERSIGN_WEBHOOK_SECRET, or COUNTERSIGN_WEBHOOK_SECRET_FILE; make one with: echo "whsec_$(openssl rand -base64 32)"',
    )
  }
  const allowHosts = [...allow, ...words(env.COUNTERSIGN_WEBHOOK_ALLOW)]
  const share = readShare(webhookShare ?? env.COUNTERSIGN_WEBHOOK_SHARE, '--webhook-share')
  const { webhook } = await import('../channels/webhook.ts')
  return all.map((url) => webhook({ url, secrets, allowHosts, share }))
}

function readSecrets({ env, cwd }: Shell): string[] {
  const file = env.COUNTERSIGN_WEBHOOK_SECRET_FILE
  if (file === undefined || file === '') return words(env.COUNTERSIGN_WEBHOOK_SECRET)
  try {
    const text = readFileSync(path.resolve(cwd, file), 'utf8')
    return [...words(env.COUNTERSIGN_WEBHOOK_SECRET), ...words(text)]
  } catch (error) {
    throw usage(
      `COUNTERSIGN_WEBHOOK_SECRET_FILE cannot be read: ${why(error)}`,
      'Name a file with one whsec_… secret per line.',
    )
  }
}
