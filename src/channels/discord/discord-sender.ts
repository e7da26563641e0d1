import { CountersignError } from '../../base/errors.ts'
import type { Share } from '../../gate/notify/channel.ts'
import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'
import { unfitting } from '../chat/sentence.ts'
import { textAt, valueAt } from '../chat/text-at.ts'
import { type CallOptions, type DiscordCall, DiscordError, idAt } from './discord-api.ts'
import type { DiscordApplication } from './discord-application.ts'

export interface InteractionParts {
  readonly host: ChannelHost
  readonly call: DiscordCall
  readonly application: (options?: CallOptions) => Promise<DiscordApplication>
  readonly share: Share
  /** Only members of this server of Discord answer; undefined: every linked account. */
  readonly guild: string | undefined
}

export interface Sender {
  readonly account: ChatAccount
  /** As its owner calls it. */
  readonly name: string
  readonly bot: string
}

/** Discord shows an error to the person after three seconds. */
const PATIENCE = { timeout: 2_000 }
export const UNANSWERED = 'Countersign cannot answer right now. Open the inbox instead.'

/** Who pressed or typed it, as Discord says. Throws for what no person of ours can have sent. */
export async function senderOf(parts: InteractionParts, payload: unknown): Promise<Sender> {
  const { id: workspace, bot } = await parts.application(PATIENCE)
  if (textAt(payload, 'application_id') !== workspace) throw unfitting()
  const [member, direct] = [valueAt(payload, 'member'), valueAt(payload, 'user')]
  // In a server it is the user of a member, in a conversation with the bot a user alone.
  if ((member === undefined) === (direct === undefined)) throw unfitting()
  const user = direct ?? valueAt(member, 'user')
  const id = idAt(user, 'id')
  // What Discord leaves out is false; whatever else it says is not.
  const isProgram = ['bot', 'system'].some((fact) => {
    const said = valueAt(user, fact)
    return said !== undefined && said !== false
  })
  if (id === '' || isProgram) throw new CountersignError('not_permitted', 'only a person decides')
  if (parts.guild !== undefined) await assertMember(parts, parts.guild, id)
  const names = [
    textAt(user, 'global_name'),
    textAt(user, 'username') && `@${textAt(user, 'username')}`,
  ]
  const name = names.filter(Boolean).join(' ').slice(0, 120) || id
  return { account: { workspace, id }, name, bot }
}

const [UNKNOWN_MEMBER, UNKNOWN_USER] = [10_007, 10_013]

/** As Discord knows them at this moment: a person who left the server answers no more. */
async function assertMember({ call }: InteractionParts, guild: string, id: string): Promise<void> {
  const member = await call(`GET /guilds/${guild}/members/${id}`, undefined, PATIENCE).catch(
    (error: unknown) => {
      const isNone =
        error instanceof DiscordError && [UNKNOWN_MEMBER, UNKNOWN_USER].includes(error.code)
      if (isNone) return undefined
      throw error
    },
  )
  // Pending: they have not passed the entry rules of the server.
  const isPending = valueAt(member, 'pending') === true
  if (idAt(member, 'user', 'id') !== id || isPending) {
    throw new CountersignError('not_permitted', 'only members of our server of Discord can answer')
  }
}
