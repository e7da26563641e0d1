import type { Command } from 'commander'
import { usage } from '../../failure.ts'
import { telegramSecrets } from '../../options/telegram-options.ts'
import type { Run, Shell } from '../../shell.ts'

interface Options {
  readonly url?: string
  readonly polling?: boolean
  readonly try?: boolean
}

export function addTelegram(program: Command, run: Run): void {
  const telegram = program.command('telegram').description('Set up Telegram as a channel.')
  telegram
    .command('setup')
    .description('Check the token of a bot, set or remove its webhook, and try a round trip.')
    .option('--url <address>', 'let Telegram send answers to this server, with the webhook secret')
    .option('--polling', 'remove the webhook, so that answers are fetched by long polling')
    .option('--try', 'wait for a message to the bot and answer it; stop the server first')
    .addHelpText('after', '\nExample:\n  $ countersign telegram setup --try')
    .action((options: Options) => run((shell) => setup(options, shell)))
}

const WHERE = [
  'Write /newbot to @BotFather in Telegram; it answers with the token (123456:ABC…).',
  'COUNTERSIGN_TELEGRAM_BOT_TOKEN is that token;',
  'COUNTERSIGN_TELEGRAM_WEBHOOK_SECRET, for servers with a public address, is one that you make: openssl rand -hex 32.',
].join(' ')

async function setup(options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  const secrets = telegramSecrets(shell)
  if (!secrets) throw usage('COUNTERSIGN_TELEGRAM_BOT_TOKEN is not set', WHERE)
  const { botToken, apiUrl, webhookSecrets } = secrets
  const [secret] = webhookSecrets
  const { url, polling } = options
  if (url !== undefined && (secret === undefined || polling === true)) {
    throw usage('--url needs COUNTERSIGN_TELEGRAM_WEBHOOK_SECRET, and no --polling', WHERE)
  }
  const { TELEGRAM_API } = await import('../../../channels/telegram/telegram.ts')
  const { checkSetup } = await import('../../../channels/telegram/telegram-setup.ts')
  const isOk = await checkSetup(
    {
      ...{ botToken, apiUrl: apiUrl ?? TELEGRAM_API, hasSecret: secret !== undefined },
      ...(url === undefined || secret === undefined ? {} : { webhook: { url, secret } }),
      ...{ polling: polling === true, tries: options.try === true },
    },
    ({ ok, says }) => out.line(`${ok ? 'ok  ' : 'no  '}${says}`),
  )
  return isOk ? 0 : 1
}
