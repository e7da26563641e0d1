import type { Setting } from './settings.ts'

const share = (name: string, of: string, flag?: string): Setting => ({
  name,
  about: `what ${of} is told of a call: \`name\`, \`message\` or, in chats, \`arguments\``,
  inEnvironment: true,
  ...(flag === undefined ? {} : { flag }),
})

const secret = (name: string, about: string): Setting => ({
  name,
  about,
  isSecret: true,
  inEnvironment: true,
})

const own = (name: string, about: string): Setting => ({ name, about, inEnvironment: true })

const list = (name: string, about: string, flag?: string): Setting => ({
  name,
  about,
  kind: 'list',
  inEnvironment: true,
  ...(flag === undefined ? {} : { flag, adds: true }),
})

/** The ways in which people are told, and answer. */
export const CHANNEL_SETTINGS: readonly Setting[] = [
  {
    name: 'push',
    about: 'push messages to phones and browsers',
    flag: '--no-push',
    kind: 'switch',
    initially: 'on',
  },
  {
    name: 'push_contact',
    about: 'how push services reach you',
    flag: '--push-contact',
    inEnvironment: true,
  },
  share('push_share', 'a push message', '--push-share'),
  list('push_allow', 'push services of your own network', '--push-allow'),
  secret('smtp_url', 'the mail server, `smtps://USER:PASSWORD@HOST:465`'),
  {
    name: 'mail_from',
    about: 'the sender of mail',
    flag: '--mail-from',
    inEnvironment: true,
  },
  share('mail_share', 'a mail', '--mail-share'),
  { ...list('webhook_url', 'addresses that are told, too', '--webhook'), isCapability: true },
  secret('webhook_secret', 'signs what is sent there; a file may hold several, one on each line'),
  list('webhook_allow', 'hosts of your own network that a webhook may reach', '--webhook-allow'),
  share('webhook_share', 'a webhook', '--webhook-share'),
  secret('slack_bot_token', 'the bot of Slack'),
  secret('slack_app_token', 'answers of Slack come over its socket'),
  secret('slack_signing_secret', 'answers of Slack come over HTTP'),
  share('slack_share', 'Slack', '--slack-share'),
  list('slack_channels', 'tell a group in one channel: `finance=C0123456789`', '--slack-channel'),
  own('slack_api_url', 'another address of its API'),
  secret('telegram_bot_token', 'the bot of Telegram'),
  secret('telegram_webhook_secret', 'answers of Telegram come over HTTP'),
  share('telegram_share', 'Telegram', '--telegram-share'),
  list('telegram_chats', 'tell a group in a chat: `finance=-1001234567890`', '--telegram-chat'),
  own('telegram_api_url', 'another address of its API'),
  secret('discord_bot_token', 'the bot of Discord'),
  list('discord_public_key', 'who signs what Discord sends'),
  {
    name: 'discord_server',
    about: 'only members of this server answer',
    flag: '--discord-server',
    inEnvironment: true,
  },
  share('discord_share', 'Discord', '--discord-share'),
  list('discord_channels', 'tell a group in a channel: `finance=1234567890`', '--discord-channel'),
  own('discord_api_url', 'another address of its API'),
  own('teams_app_id', 'the bot of Teams'),
  secret('teams_app_password', 'its password'),
  own('teams_tenant', 'its directory'),
  share('teams_bot_share', 'the bot of Teams', '--teams-share'),
  list('teams_service_hosts', 'hosts that the bot service may be at'),
  own('teams_keys_url', 'another address of its keys'),
  own('teams_login_url', 'another address of its sign-in'),
  { ...secret('teams_workflow_url', 'workflows of Teams that are told'), kind: 'list' },
  share('teams_share', 'a workflow of Teams'),
  list('teams_allow', 'hosts of your own network that a workflow may be at'),
  { ...secret('ntfy_url', 'topics of ntfy'), kind: 'list' },
  secret('ntfy_token', 'opens them'),
  share('ntfy_share', 'ntfy'),
  list('ntfy_allow', 'hosts of your own network that ntfy may be at'),
  {
    name: 'ciba',
    about: 'the provider asks approvers on their device',
    flag: '--ciba',
    kind: 'switch',
    inEnvironment: true,
  },
  {
    name: 'ciba_risk',
    about: 'the highest risk that is decided there',
    flag: '--ciba-risk',
    inEnvironment: true,
    initially: 'L2',
  },
  {
    name: 'ciba_login_hint',
    about: 'how it knows people: `sub`, `email` or `iss_sub`',
    flag: '--ciba-login-hint',
    inEnvironment: true,
    initially: 'sub',
  },
  list('ciba_acr', 'what its acr is worth: `phr=passkey`', '--ciba-acr'),
]
