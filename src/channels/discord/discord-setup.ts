import { NotDelivered } from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { createDiscordCall, type DiscordCall, DiscordError, idAt } from './discord-api.ts'
import { createApplication, type DiscordApplication } from './discord-application.ts'
import { COMMAND, LINK_COMMAND } from './discord-command.ts'

export interface DiscordSetup {
  readonly botToken: string
  readonly publicKeys: readonly string[]
  readonly apiUrl: string
  /** Discord sends what people press to this server from now on. */
  readonly url?: string
  /** The id of an account that is sent a message. */
  readonly to?: string
}

export interface DiscordCheck {
  readonly ok: boolean
  readonly says: string
}

/** Tries what the channel will do, and tells of each step. False when one of them failed. */
export async function checkSetup(
  { botToken, publicKeys, apiUrl, url, to }: DiscordSetup,
  tell: (check: DiscordCheck) => void,
): Promise<boolean> {
  const call = createDiscordCall(apiUrl, botToken)
  let isOk = true
  const check = (ok: boolean, says: string) => {
    isOk &&= ok
    tell({ ok, says })
  }
  try {
    const found = await createApplication(call)()
    check(true, `The token belongs to the application ${found.name}.`)
    const isKey = publicKeys.some((key) => key.toLowerCase() === found.publicKey.toLowerCase())
    check(isKey, isKey ? 'The public key is its key.' : 'The public key is that of another one.')
    if (url === undefined) await checkFound(call, found, check)
    else if (isKey) await setFound(call, found, url, check)
    if (to !== undefined && isOk) {
      await tryMessage(call, to)
      check(true, `Sent a message to ${to}.`)
    }
  } catch (error) {
    check(false, sentenceOf(error))
  }
  return isOk
}

type Check = (ok: boolean, says: string) => void

async function checkFound(call: DiscordCall, found: DiscordApplication, check: Check) {
  const { id, endpoint } = found
  check(
    endpoint !== '',
    endpoint === ''
      ? 'Discord sends what people press nowhere: run this with --url.'
      : `Discord sends what people press to ${endpoint}.`,
  )
  const commands = await call(`GET /applications/${id}/commands`)
  const isThere =
    Array.isArray(commands) && commands.some((one: unknown) => textAt(one, 'name') === COMMAND)
  check(
    isThere,
    isThere
      ? `The command /${COMMAND} is there.`
      : `The command /${COMMAND} is not there: run this with --url.`,
  )
}

/** Discord takes an address once the server there refused a wrong signature and answered a right one. */
async function setFound(
  call: DiscordCall,
  { id }: DiscordApplication,
  url: string,
  check: Check,
): Promise<void> {
  await call(`POST /applications/${id}/commands`, LINK_COMMAND)
  check(true, `The command /${COMMAND} is registered.`)
  const interactions_endpoint_url = `${url.replace(/\/$/, '')}/v1/channels/discord`
  try {
    await call('PATCH /applications/@me', { interactions_endpoint_url })
    check(
      true,
      `The server at ${interactions_endpoint_url} answered a request that Discord signed.`,
    )
  } catch (error) {
    if (!(error instanceof DiscordError && error.status === 400)) throw error
    check(
      false,
      `Discord got no right answer at ${interactions_endpoint_url}. Start the server there first, with this public key.`,
    )
  }
}

async function tryMessage(call: DiscordCall, to: string): Promise<void> {
  const opened = await call('POST /users/@me/channels', { recipient_id: to })
  const content = 'Countersign works here.'
  const message = { content, allowed_mentions: { parse: [] } }
  await call(`POST /channels/${idAt(opened, 'id')}/messages`, message)
}

const [CANNOT_WRITE, UNKNOWN_USER] = [50_007, 10_013]

function sentenceOf(error: unknown): string {
  if (error instanceof DiscordError) {
    if (error.status === 401) return 'Discord refuses the token.'
    if (error.code === CANNOT_WRITE) {
      return 'This person takes no messages of the bot, or shares no server with it.'
    }
    if (error.code === UNKNOWN_USER) return 'There is no such account.'
  }
  const isOurs = error instanceof DiscordError || error instanceof NotDelivered
  return isOurs ? `${error.message}.` : 'Discord cannot be reached.'
}
