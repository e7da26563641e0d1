import type { Saboteur } from '../saboteur.ts'

const FORGED = { tests: ['test/channels/teams-forged.test.ts'] } as const
const TEAMS = { tests: ['test/channels/teams-bot.test.ts'] } as const

export const TEAMS_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a token for another bot of Teams counts',
    file: 'src/channels/teams/teams-token.ts',
    before: 'issuer: ISSUER, audience: appId, algorithms',
    after: 'issuer: ISSUER, algorithms',
    caughtBy: FORGED,
  },
  {
    name: 'a token for Teams of any issuer counts',
    file: 'src/channels/teams/teams-token.ts',
    before: 'issuer: ISSUER, audience',
    after: 'audience',
    caughtBy: FORGED,
  },
  {
    name: 'any algorithm signs for Teams',
    file: 'src/channels/teams/teams-token.ts',
    before: "algorithms: ['RS256']",
    after: "algorithms: ['RS256', 'PS256', 'RS512']",
    caughtBy: FORGED,
  },
  {
    name: 'a sender of another channel of the bot speaks for Teams',
    file: 'src/channels/teams/teams-token.ts',
    before: 'if (!Array.isArray(endorsements) || !endorsements.includes(CHANNEL))',
    after: 'if (endorsements === CHANNEL)',
    caughtBy: FORGED,
  },
  {
    name: 'the token of the bot of Teams is sent to any host',
    file: 'src/channels/teams/teams-bot.ts',
    before: 'isServiceUrl(serviceUrl, serviceHosts) &&',
    after: 'isServiceUrl(serviceUrl, [...serviceHosts, new URL(serviceUrl).host]) &&',
    caughtBy: FORGED,
  },
  {
    name: 'a repeated activity of Teams is handled again',
    file: 'src/channels/teams/teams-bot.ts',
    before: "id === '' || isRepeated(id)",
    after: "id === '' || (isRepeated(id) && id === '')",
    caughtBy: FORGED,
  },
  {
    name: 'another organisation decides in Teams',
    file: 'src/channels/teams/teams-sender.ts',
    before: "id === '' || !inTenant || theirs !== tenant || !isDirect",
    after: "id === '' || !isDirect",
    caughtBy: FORGED,
  },
  {
    name: 'a guest decides in Teams',
    file: 'src/channels/teams/teams-sender.ts',
    before: 'isGuest || home !== tenant',
    after: 'home !== tenant',
    caughtBy: TEAMS,
  },
  {
    name: 'a card of Teams is answered by another account',
    file: 'src/channels/teams/teams-activity.ts',
    before: 'kept?.account !== account.id',
    after: 'kept === undefined',
    caughtBy: FORGED,
  },
  {
    name: 'what does not fit whole is decided in Teams',
    file: 'src/channels/teams/teams-cards.ts',
    before: 'return isLong ? { why: TOO_LONG } : shown',
    after: 'return isLong ? shown : shown',
    caughtBy: TEAMS,
  },
  {
    name: 'spaces beside each other are shown as one in Teams',
    file: 'src/channels/teams/teams-cards.ts',
    before: ".replaceAll(/ (?= )|^ /g, '\\u00a0')",
    after: '',
    caughtBy: TEAMS,
  },
]
