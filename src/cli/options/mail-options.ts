import type { Channel } from '../../gate/notify/channel.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { readShare } from './read-share.ts'

export interface MailFlags {
  readonly mailFrom?: string
  readonly mailShare?: string
}

/** Mail, where a server is set. Its address holds a password, so it comes from the environment. */
export async function readMail(flags: MailFlags, { env }: Shell): Promise<readonly Channel[]> {
  const { COUNTERSIGN_SMTP_URL: smtp, COUNTERSIGN_MAIL_FROM, COUNTERSIGN_MAIL_SHARE } = env
  const from = flags.mailFrom ?? COUNTERSIGN_MAIL_FROM
  if (!smtp && !from && flags.mailShare === undefined) return []
  if (!smtp || !from) {
    throw usage(
      'mail needs a server and a sender',
      'Set COUNTERSIGN_SMTP_URL=smtps://USER:PASSWORD@HOST:465 and --mail-from "Countersign <no-reply@example.com>".',
    )
  }
  const share = readShare(flags.mailShare ?? COUNTERSIGN_MAIL_SHARE, '--mail-share')
  const { mail } = await import('../../channels/mail/mail.ts')
  return [mail({ smtp, from, share })]
}
