import type { Saboteur } from '../saboteur.ts'

const FORGED = { tests: ['test/channels/discord-forged.test.ts'] } as const
const DISCORD = {
  tests: ['test/channels/discord.test.ts', 'test/channels/discord-setup.test.ts'],
} as const

export const DISCORD_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'any signature opens the address for Discord',
    file: 'src/channels/discord/discord-signature.ts',
    before: 'return keys.some((key) => verify(null, signed, key, signature))',
    after: 'return keys.length + signed.length + signature.length > 0',
    caughtBy: FORGED,
  },
  {
    name: 'a recorded request of Discord works for ever',
    file: 'src/channels/discord/discord-signature.ts',
    before: 'Math.abs(now / 1_000 - Number(at)) > MOST_SECONDS',
    after: 'now < MOST_SECONDS',
    caughtBy: FORGED,
  },
  {
    name: 'a repeated request of Discord is answered again',
    file: 'src/channels/discord/discord-inbound.ts',
    before: "if (id === '' || isRepeated(id, now))",
    after: "if (isRepeated(id, now) && id === '')",
    caughtBy: FORGED,
  },
  {
    name: 'a changed client of Discord sends a button that is not there',
    file: 'src/channels/discord/discord-interaction.ts',
    before: '=== sender.bot && hasButton(message, id)',
    after: '=== sender.bot',
    caughtBy: FORGED,
  },
  {
    name: 'a card of Discord is answered by another account',
    file: 'src/channels/discord/discord-interaction.ts',
    before:
      "if (share !== 'arguments' || kept?.account !== account.id) throw unfitting()\n  const answer =",
    after: "if (share !== 'arguments' || kept === undefined) throw unfitting()\n  const answer =",
    caughtBy: FORGED,
  },
  {
    name: 'a bot of Discord decides',
    file: 'src/channels/discord/discord-sender.ts',
    before: "if (id === '' || isProgram)",
    after: "if (id === '' || !isProgram === undefined)",
    caughtBy: FORGED,
  },
  {
    name: 'an interaction of another application of Discord counts',
    file: 'src/channels/discord/discord-sender.ts',
    before: "if (textAt(payload, 'application_id') !== workspace) throw unfitting()",
    after: '',
    caughtBy: FORGED,
  },
  {
    name: 'a person who left the server of Discord decides',
    file: 'src/channels/discord/discord-sender.ts',
    before: 'if (parts.guild !== undefined) await assertMember(parts, parts.guild, id)',
    after: '',
    caughtBy: DISCORD,
  },
  {
    name: 'what does not fit whole is decided in Discord',
    file: 'src/channels/discord/discord-card.ts',
    before: "if (all.join('').length > LONGEST_CARD) return { why: TOO_LONG }",
    after: '',
    caughtBy: DISCORD,
  },
  {
    name: 'a text of an agent ends its code in Discord',
    file: 'src/channels/discord/discord-text.ts',
    before: "return text.replaceAll(/`{3,}/g, (run) => '[U+0060]'.repeat(run.length))",
    after: 'return text',
    caughtBy: DISCORD,
  },
  {
    name: 'an argument ends its code in Discord',
    file: 'src/channels/discord/discord-text.ts',
    before: "json.replaceAll(/`{3,}/g, (run) => '\\\\u0060'.repeat(run.length))",
    after: 'json',
    caughtBy: DISCORD,
  },
  {
    name: 'a text of an agent notifies people in Discord',
    file: 'src/channels/discord/discord-messages.ts',
    before: 'allowed_mentions: { parse: [] as [] }, flags: 4',
    after: 'allowed_mentions: undefined as never, flags: 4',
    caughtBy: DISCORD,
  },
  {
    name: 'other members of a channel of Discord see the card',
    file: 'src/channels/discord/discord-card.ts',
    before: 'const FLAGS = 64 + 32_768',
    after: 'const FLAGS = 32_768',
    caughtBy: DISCORD,
  },
  {
    name: 'a message of Discord whose answer was lost is posted again',
    file: 'src/channels/discord/discord-delivery.ts',
    before: "isAbout(textAt(one, 'content'), about)",
    after: "isAbout(textAt(one, 'text'), about)",
    caughtBy: { tests: ['test/channels/discord-crash.test.ts'] },
  },
]
