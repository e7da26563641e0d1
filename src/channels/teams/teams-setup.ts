import { NotDelivered } from '../../gate/notify/channel.ts'
import { parsedJson, textAt, valueAt } from '../chat/text-at.ts'
import { type ConnectorOptions, createToken, TeamsError } from './teams-connector.ts'

export interface TeamsSetup extends ConnectorOptions {
  readonly keysUrl: string
  /** Where this server is: what stands there is asked whether it takes activities of Teams. */
  readonly url?: string
}

export interface TeamsCheck {
  readonly ok: boolean
  readonly says: string
}

const TIMEOUT = 10_000

/** Tries what the channel will do, and tells of each step. False when one of them failed. */
export async function checkSetup(
  { keysUrl, url, ...credentials }: TeamsSetup,
  tell: (check: TeamsCheck) => void,
): Promise<boolean> {
  let isOk = true
  const check = (ok: boolean, says: string) => {
    isOk &&= ok
    tell({ ok, says })
  }
  try {
    await createToken(credentials)()
    check(true, 'Microsoft gives the bot a token.')
    const isPublished = await publishesKeys(keysUrl)
    check(
      isPublished,
      isPublished ? 'The keys of Teams are published.' : 'The keys of Teams are not found.',
    )
    if (url !== undefined) {
      const endpoint = `${url.replace(/\/$/, '')}/v1/channels/teams`
      const isThere = await refusesStrangers(endpoint)
      check(
        isThere,
        isThere
          ? `The server takes activities at ${endpoint}: that is the messaging endpoint.`
          : `No server with this bot answers at ${endpoint}. Start it there first.`,
      )
    }
  } catch (error) {
    check(false, sentenceOf(error))
  }
  return isOk
}

async function publishesKeys(keysUrl: string): Promise<boolean> {
  const response = await fetch(keysUrl, { signal: AbortSignal.timeout(TIMEOUT) })
  const keys = valueAt(parsedJson(await response.text()), 'keys')
  return Array.isArray(keys) && keys.some((key: unknown) => isForTeams(key))
}

function isForTeams(key: unknown): boolean {
  const endorsements = valueAt(key, 'endorsements')
  return Array.isArray(endorsements) && endorsements.includes('msteams')
}

/** Without a token it must be refused, by the channel and by no other door. */
async function refusesStrangers(endpoint: string): Promise<boolean> {
  const response = await fetch(endpoint, {
    ...{ method: 'POST', redirect: 'error', body: '{}', signal: AbortSignal.timeout(TIMEOUT) },
    headers: { 'content-type': 'application/json' },
  }).catch(() => undefined)
  const answer = response && parsedJson(await response.text())
  return response?.status === 401 && textAt(answer, 'error', 'code') === 'signature_refused'
}

function sentenceOf(error: unknown): string {
  if (error instanceof TeamsError && [400, 401].includes(error.status)) {
    return 'Microsoft refuses the app id, the client secret or the tenant.'
  }
  const isOurs = error instanceof TeamsError || error instanceof NotDelivered
  return isOurs ? `${error.message}.` : 'Microsoft cannot be reached.'
}
