import type { Saboteur } from '../saboteur.ts'

const FORGED = { tests: ['test/channels/ciba-forged.test.ts'] } as const
const CIBA = { tests: ['test/channels/ciba.test.ts'] } as const
const CRASH = { tests: ['test/channels/ciba-crash.test.ts'] } as const

/** Questions that the sign-in provider puts to people on their device. */
export const CIBA_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a token of another person answers for the one who was asked',
    file: 'src/server/identity/backchannel.ts',
    before: 'const isAsked = subject === undefined || token.sub === subject',
    after: "const isAsked = token.sub !== ''",
    caughtBy: FORGED,
  },
  {
    name: 'a token that answers another request counts',
    file: 'src/server/identity/backchannel.ts',
    before: 'if (request !== undefined && request !== id) return',
    after: 'if (request === undefined && id === "") return',
    caughtBy: FORGED,
  },
  {
    name: 'a token that is older than the question counts',
    file: 'src/server/identity/backchannel.ts',
    before: 'if (token.iat * 1_000 < askedAt - SKEW_MS) return',
    after: 'if (token.iat < 0) return',
    caughtBy: FORGED,
  },
  {
    name: 'the signature of an ID token is not looked at',
    file: 'src/server/identity/oidc-client.ts',
    before: '        client.enableNonRepudiationChecks,\n',
    after: '',
    caughtBy: FORGED,
  },
  {
    name: 'what the user info says raises an assurance',
    file: 'src/server/identity/backchannel.ts',
    before: "...(typeof acr === 'string' ? { acr } : {})",
    after: "...(typeof (acr ?? _) === 'string' ? { acr: String(acr ?? _) } : {})",
    caughtBy: FORGED,
  },
  {
    name: 'a call above the risk for devices is decided on one',
    file: 'src/channels/ciba/ciba-offer.ts',
    before: 'isPlain && isSure && isLow(rules, card)',
    after: 'isPlain && isSure',
    caughtBy: CIBA,
  },
  {
    name: 'a rule that wants a reason is decided on a device',
    file: 'src/channels/ciba/ciba-offer.ts',
    before: "call.form === undefined && terms.reason === 'optional'",
    after: 'call.form === undefined',
    caughtBy: CIBA,
  },
  {
    name: 'a provider that wants fewer polls gets as many',
    file: 'src/channels/ciba/ciba-poll.ts',
    before: 'answer.slowDown ? interval + SLOWER_S : interval',
    after: 'interval',
    caughtBy: FORGED,
  },
  {
    name: 'a question that a dead process may have put is never put again',
    file: 'src/channels/ciba/ciba-ask.ts',
    before: "return state === 'asking' || (state === 'over' && expired && isReminder)",
    after: "return state === 'over' && expired && isReminder",
    caughtBy: CRASH,
  },
  {
    name: 'a question is put again and again while its answers are lost',
    file: 'src/channels/ciba/ciba-poll.ts',
    before: 'if (taken.asks >= MOST_ASKS) {',
    after: 'if (taken.asks > 1_000) {',
    caughtBy: FORGED,
  },
]
