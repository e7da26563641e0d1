import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'

const HELLO =
  'To let this account answer for you, sign in to the inbox, make a code under Linked accounts and send it here.'
const SENT = 'The code is right. Now confirm this account in the inbox, under Linked accounts.'
/** A code and little else. Longer messages are not looked at. */
const LONGEST_CODE = 40

/** Resolves to what the person is answered: they sent a link code, or wonder what the bot is for. */
export async function codeHeard(
  host: Pick<ChannelHost, 'claimLink'>,
  from: ChatAccount & { readonly name: string },
  text: string,
  hello = HELLO,
): Promise<string> {
  if (text.length > LONGEST_CODE || !/\d|-/.test(text)) return hello
  await host.claimLink(from, text)
  return SENT
}
