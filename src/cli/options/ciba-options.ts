import { words } from '../../app/space-separated.ts'
import { isRisk, RISKS } from '../../base/call.ts'
import type { Channel } from '../../gate/notify/channel.ts'
import { LOGIN_HINTS, type LoginHint } from '../../gate/notify/sign-in-provider.ts'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { readPairs } from './read-pairs.ts'

export interface CibaFlags {
  readonly ciba?: boolean
  readonly cibaRisk?: string
  readonly cibaLoginHint?: string
  readonly cibaAcr?: readonly string[]
  readonly oidcIssuer?: string
}

/** The provider of `--oidc-issuer` asks people on their device, where that is turned on. */
export async function readCiba(flags: CibaFlags, { env }: Shell): Promise<readonly Channel[]> {
  const risk = flags.cibaRisk ?? env.COUNTERSIGN_CIBA_RISK
  const pairs = [...(flags.cibaAcr ?? []), ...words(env.COUNTERSIGN_CIBA_ACR)]
  const isOn = flags.ciba === true || isSet(env.COUNTERSIGN_CIBA)
  if (!isOn) {
    const isMeant = [flags.cibaRisk, flags.cibaLoginHint, flags.cibaAcr].some(Boolean)
    if (!isMeant) return []
    throw usage('--ciba turns CIBA on', 'Add --ciba, or set COUNTERSIGN_CIBA=1.')
  }
  if (flags.oidcIssuer === undefined) {
    throw usage(
      '--ciba needs the provider that people sign in with',
      'Give --oidc-issuer and --oidc-client-id; `countersign ciba setup` checks it.',
    )
  }
  if (risk !== undefined && risk !== '' && !isRisk(risk)) {
    throw usage(`--ciba-risk is none of ${RISKS.join(', ')}`, 'Leave it out for L2 and below.')
  }
  const acr = readPairs(pairs, 'Write --ciba-acr phr=passkey, with an acr value of the provider.')
  for (const worth of Object.values(acr)) {
    if (worth !== 'signed-in' && worth !== 'passkey') {
      throw usage('--ciba-acr says neither signed-in nor passkey', 'Write --ciba-acr phr=passkey.')
    }
  }
  const { ciba } = await import('../../channels/ciba/ciba.ts')
  const loginHint = readLoginHint(flags, env)
  return [
    ciba({
      acr: acr as Record<string, 'signed-in' | 'passkey'>,
      loginHint,
      ...(isRisk(risk) ? { maxRisk: risk } : {}),
    }),
  ]
}

export function readLoginHint(
  { cibaLoginHint }: Pick<CibaFlags, 'cibaLoginHint'>,
  env: Shell['env'],
): LoginHint {
  const word = cibaLoginHint ?? (env.COUNTERSIGN_CIBA_LOGIN_HINT || 'sub')
  const found = LOGIN_HINTS.find((one) => one === word)
  if (found) return found
  throw usage(
    `--ciba-login-hint is none of ${LOGIN_HINTS.join(', ')}`,
    'Use what the provider knows people by; `countersign ciba setup` tries it.',
  )
}

/** `0`, `false` and nothing turn it off. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value)
}
