import type { Command } from 'commander'
import type { PushOptions } from '../../app/push.ts'
import { words } from '../../app/space-separated.ts'
import type { Shell } from '../shell.ts'
import { readShare } from './read-share.ts'

/** What a command line says about push messages. */
export interface PushFlags {
  /** `false` with --no-push. */
  readonly push?: boolean
  readonly pushContact?: string
  readonly pushShare?: string
  readonly pushAllow?: readonly string[]
  readonly pushNewKey?: boolean
}

export function takesPush(command: Command): Command {
  return command
    .option('--no-push', 'send no push messages to phones and browsers')
    .option(
      '--push-contact <url>',
      'how push services reach you, mailto:… or https://…; the public address unless set',
    )
    .option('--push-share <level>', 'what a push message says of a call: name or message')
    .option('--push-allow <hosts...>', 'push services of your own network')
    .option('--push-new-key', 'make another key; every device has to be turned on again')
}

export function readPush(flags: PushFlags, env: Shell['env']): PushOptions | false {
  if (flags.push === false) return false
  const contact = flags.pushContact ?? env.COUNTERSIGN_PUSH_CONTACT
  return {
    share: readShare(flags.pushShare ?? env.COUNTERSIGN_PUSH_SHARE, '--push-share'),
    allowHosts: [...(flags.pushAllow ?? []), ...words(env.COUNTERSIGN_PUSH_ALLOW)],
    ...(contact === undefined || contact === '' ? {} : { contact }),
    newKey: flags.pushNewKey === true,
  }
}
