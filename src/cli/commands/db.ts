import type { Command } from 'commander'
import { postgresFindings } from '../doctor/postgres.ts'
import { showFindings } from '../doctor/show-findings.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import type { Run, Shell } from '../shell.ts'
import { databasePlace } from '../state/database.ts'

interface Where {
  readonly db?: string
  readonly json?: boolean
}

interface MigrateOptions extends Where {
  readonly role?: string
  readonly server?: string
  readonly auditor?: string
}

interface RolesOptions {
  readonly db?: string
  readonly owner: string
  readonly migrator: string
  readonly server: string
  readonly auditor: string
}

const DB = ['--db <where>', 'postgres://…; else COUNTERSIGN_DB'] as const

/** For operators of Postgres. A file of SQLite has no roles, and its server alone changes it. */
export function addDb(program: Command, run: Run): void {
  const db = program
    .command('db')
    .description('Bring the schema of a Postgres up to date, check it, and print its roles.')
    .helpCommand(false)
  db.command('migrate')
    .description('Bring the schema up to date, in one transaction. Safe to run twice, and at once.')
    .option(...DB)
    .option('--role <name>', 'become this role first: the owner of the schema')
    .option('--server <role>', 'give this role what a server needs, and no more')
    .option('--auditor <role>', 'let this role read the record')
    .option('--json', 'print { schema, applied }')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign db migrate --role countersign_owner --server countersign_server --auditor countersign_auditor',
    )
    .action((options: MigrateOptions) => run((shell) => migrateDatabase(options, shell)))
  db.command('check')
    .description('Say what a Postgres is like: schema, role, durability, room, pooler, clock.')
    .option(...DB)
    .option('--json', 'print { ok, findings, facts }')
    .addHelpText(
      'after',
      '\nExits with 1 when a server could not run on it. Changes nothing.' +
        '\n\nExample:\n  $ countersign db check --db postgres://countersign_server@db.internal/countersign',
    )
    .action((options: Where) => run((shell) => check(options, shell)))
  db.command('roles')
    .description('Print SQL that makes four roles: owner, migrator, server and auditor.')
    .option(...DB)
    .option('--owner <role>', 'owns the schema, and cannot sign in', 'countersign_owner')
    .option('--migrator <role>', 'signs in to become the owner', 'countersign_migrator')
    .option('--server <role>', 'what servers sign in as', 'countersign_server')
    .option('--auditor <role>', 'reads the record, and changes nothing', 'countersign_auditor')
    .addHelpText(
      'after',
      '\nThe roles get no passwords: set them, or let them sign in by certificate.' +
        '\n\nExample:\n  $ countersign db roles --db postgres://postgres@db.internal/countersign | psql -v ON_ERROR_STOP=1 "$ADMIN_URL"',
    )
    .action((options: RolesOptions) => run((shell) => roles(options, shell)))
}

function postgresAt(db: string | undefined, shell: Shell) {
  const place = databasePlace(db, shell)
  if (place.kind === 'postgres') return place
  throw usage(
    'this command is for Postgres',
    'Give --db postgres://…. A server brings a file of SQLite up to date by itself.',
  )
}

async function migrateDatabase(options: MigrateOptions, shell: Shell): Promise<number> {
  const { url, direct = url } = postgresAt(options.db, shell)
  const { migrateWith } = await import('../../store/postgres/admin/migrate-with.ts')
  const { role, server, auditor } = options
  const { schema, applied } = await migrateWith(direct, { role, server, auditor })
  if (options.json) shell.out.json({ schema, applied })
  else if (applied.length === 0) shell.out.line(`Schema ${schema}; nothing to do.`)
  else shell.out.line(`Schema ${schema}. Applied: ${applied.map(printable).join(', ')}.`)
  return 0
}

async function check({ db, json }: Where, shell: Shell): Promise<number> {
  const { url, direct } = postgresAt(db, shell)
  const { checkDatabase } = await import('../../store/postgres/admin/check.ts')
  const facts = await checkDatabase(url, direct)
  const findings = postgresFindings(facts)
  const problems = findings.filter(({ level }) => level === 'problem').length
  if (json) shell.out.json({ ok: problems === 0, findings, facts })
  else showFindings(findings, shell)
  return problems === 0 ? 0 : 1
}

async function roles(options: RolesOptions, shell: Shell): Promise<number> {
  const { url } = postgresAt(options.db, shell)
  const { roleSql } = await import('../../store/postgres/admin/roles.ts')
  const database = decodeURIComponent(new URL(url).pathname.slice(1))
  if (database === '') {
    throw usage('--db names no database', 'Use postgres://USER@HOST/NAME.')
  }
  for (const line of roleSql(database, options)) shell.out.line(line)
  return 0
}
