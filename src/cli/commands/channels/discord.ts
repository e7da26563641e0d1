import type { Command } from 'commander'
import { usage } from '../../failure.ts'
import { discordSecrets } from '../../options/discord-options.ts'
import type { Run, Shell } from '../../shell.ts'

interface Options {
  readonly url?: string
  readonly to?: string
}

export function addDiscord(program: Command, run: Run): void {
  const discord = program.command('discord').description('Set up Discord as a channel.')
  discord
    .command('setup')
    .description('Check token, public key, address and command of an application, or set them.')
    .option('--url <address>', 'register the command, and let Discord send answers to this server')
    .option('--to <account>', 'send a message to the account with this id')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign discord setup --url https://sign.example.com',
    )
    .action((options: Options) => run((shell) => setup(options, shell)))
}

const WHERE = [
  'Create an application at https://discord.com/developers/applications and add it to your server of Discord.',
  'COUNTERSIGN_DISCORD_BOT_TOKEN is under Bot, Reset Token;',
  'COUNTERSIGN_DISCORD_PUBLIC_KEY under General Information.',
].join(' ')

async function setup({ url, to }: Options, shell: Shell): Promise<number> {
  const secrets = discordSecrets(shell)
  if (!secrets) throw usage('COUNTERSIGN_DISCORD_BOT_TOKEN is not set', WHERE)
  const { botToken, publicKeys, apiUrl } = secrets
  if (publicKeys.length === 0) throw usage('COUNTERSIGN_DISCORD_PUBLIC_KEY is not set', WHERE)
  const { DISCORD_API } = await import('../../../channels/discord/discord-api.ts')
  const { checkSetup } = await import('../../../channels/discord/discord-setup.ts')
  const isOk = await checkSetup(
    {
      ...{ botToken, publicKeys, apiUrl: apiUrl ?? DISCORD_API },
      ...(url === undefined ? {} : { url }),
      ...(to === undefined ? {} : { to }),
    },
    ({ ok, says }) => shell.out.line(`${ok ? 'ok  ' : 'no  '}${says}`),
  )
  return isOk ? 0 : 1
}
