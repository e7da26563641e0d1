import { createRemoteJWKSet, jwtVerify } from 'jose'
import { textAt } from '../chat/text-at.ts'

export interface TeamsTokens {
  /**
   * Where the connector of Microsoft is answered that sent this, by its own signed word; undefined:
   * it did not send it to this bot, or not out of Teams.
   */
  serviceUrl(authorization: string): Promise<string | undefined>
}

export const TEAMS_KEYS = 'https://login.botframework.com/v1/.well-known/keys'
const ISSUER = 'https://api.botframework.com'
const CHANNEL = 'msteams'
const SKEW_S = 300
const HOUR_MS = 3_600_000

/** Tokens of the Bot Connector. They prove the sender and not the body, which TLS protects alone. */
export function createTokens({
  appId,
  keysUrl,
}: {
  readonly appId: string
  readonly keysUrl: string
}): TeamsTokens {
  const keys = createRemoteJWKSet(new URL(keysUrl), {
    timeoutDuration: 2_000,
    cacheMaxAge: HOUR_MS,
  })
  return {
    async serviceUrl(authorization) {
      const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(authorization) ?? []
      if (token === undefined) return undefined
      const verified = await jwtVerify(token, keys, {
        ...{ issuer: ISSUER, audience: appId, algorithms: ['RS256'] },
        ...{ clockTolerance: SKEW_S, requiredClaims: ['exp', 'serviceurl'] },
      }).catch(() => undefined)
      const kid = verified?.protectedHeader.kid
      const key = keys.jwks()?.keys.find((one) => kid !== undefined && one.kid === kid)
      // Through other channels of the same bot a sender chooses who they are.
      const { endorsements } = (key ?? {}) as { readonly endorsements?: unknown }
      if (!Array.isArray(endorsements) || !endorsements.includes(CHANNEL)) return undefined
      return textAt(verified?.payload, 'serviceurl') || undefined
    },
  }
}
