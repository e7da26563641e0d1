import type { Command } from 'commander'
import { parseDuration } from '../../base/duration.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Tokens } from '../../server/identity/tokens.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import type { Run, Shell } from '../shell.ts'
import { databasePlace } from '../state/database.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly agent: string
  readonly principal?: string
  readonly vouch?: boolean
  readonly life?: string
  readonly json?: boolean
}

export function addToken(program: Command, run: Run): void {
  const token = program
    .command('token')
    .description('Tokens with which agents ask over HTTP.')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign token create --agent mailer')
  takesDatabase(token.command('create'))
    .description('Create a token for an agent. It is printed once and never shown again.')
    .requiredOption('--agent <name>', 'the alias that rules see')
    .option('--principal <email>', 'the person the agent works for')
    .option(
      '--vouch',
      'an application that signs in its users: it names them, and records their answers',
    )
    .option('--life <duration>', 'how long it works, such as 90d; for good unless set')
    .option('--json', 'print one JSON object with the token')
    .addHelpText(
      'after',
      '\nAn agent sends it as `authorization: Bearer …`. It can ask, and never decide.' +
        '\n\nExample:\n  $ countersign token create --agent mailer --principal ana@example.com',
    )
    .action((options: Options) => run((shell) => create(options, shell)))
  takesDatabase(token.command('list'))
    .description('List the tokens, without their secrets.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign token list')
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(token.command('revoke'))
    .description('Revoke a token.')
    .argument('<prefix>', 'the twelve characters after cs_')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign token revoke 0a1b2c3d4e5f')
    .action((prefix: string, options: Options) => run((shell) => revoke(prefix, options, shell)))
}

async function withTokens<T>(
  options: DatabaseOptions,
  shell: Shell,
  work: (tokens: Tokens) => Promise<T>,
): Promise<T> {
  const { createTokens } = await import('../../server/identity/tokens.ts')
  const store = await openStore(databasePlace(options.db, shell), options)
  try {
    return await work(createTokens(store))
  } finally {
    await store.close()
  }
}

async function create(options: Options, shell: Shell): Promise<number> {
  const { agent, principal, vouch } = options
  const wanted = {
    agent,
    ...(principal === undefined ? {} : { principal }),
    ...(vouch === true ? { vouches: true } : {}),
    ...(options.life === undefined ? {} : { life: readLife(options.life) }),
  }
  const { token, made } = await withTokens(options, shell, (tokens) => tokens.create(wanted))
  if (options.json) shell.out.json({ token, ...made })
  else shell.out.line(token)
  return 0
}

function readLife(text: string): number {
  const life = parseDuration(text)
  if (life.ok && life.value > 0) return life.value
  throw usage(`${text} is no duration`, 'Use such as 90d or 12h.')
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}

async function list(options: Options, shell: Shell): Promise<number> {
  const all = await withTokens(options, shell, (tokens) => tokens.list())
  if (options.json) shell.out.json({ tokens: all })
  for (const token of options.json ? [] : all) {
    const { prefix, agent, principal, vouches, client, createdAt, expiresAt, lastUsedAt } = token
    const person = principal ?? client?.person.subject
    const bound = person === undefined ? '' : `  for ${printable(person)}`
    const whose = vouches ? '  vouches for its users' : bound
    const used = lastUsedAt === undefined ? '' : `  used ${isoOf(lastUsedAt)}`
    const ends = expiresAt === undefined ? '' : `  ends ${isoOf(expiresAt)}`
    shell.out.line(`${prefix}  ${printable(agent)}${whose}  ${isoOf(createdAt)}${used}${ends}`)
  }
  return 0
}

async function revoke(prefix: string, options: Options, shell: Shell): Promise<number> {
  const revoked = await withTokens(options, shell, (tokens) => tokens.revoke(prefix))
  if (!revoked) {
    throw new CountersignError('not_found', `no token begins with ${prefix}`, {
      hint: '`countersign token list` shows the beginning of each.',
    })
  }
  if (options.json) shell.out.json({ revoked })
  else shell.out.line('Revoked.')
  return 0
}
