import { type Command, Option } from 'commander'
import { packageVersion } from '../../app/version.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Store } from '../../store/store.ts'
import { claudeCodeFindings } from '../doctor/claude-code.ts'
import { codingAgentFindings } from '../doctor/coding-agents.ts'
import { databaseFindings } from '../doctor/database.ts'
import { fileFindings } from '../doctor/files.ts'
import { type Finding, LIMITS, note, ok, problem, warning } from '../doctor/finding.ts'
import { onCallFindings } from '../doctor/on-call.ts'
import { peopleFindings, policyFindings } from '../doctor/policy.ts'
import { serverFindings } from '../doctor/server.ts'
import { showFindings } from '../doctor/show-findings.ts'
import { studioFindings, WHICH_TESTS, type WhichTests } from '../doctor/studio.ts'
import { tokenFindings } from '../doctor/tokens.ts'
import { noticeFindings, unreachableFindings } from '../doctor/waiting.ts'
import { count } from '../print/show-mistakes.ts'
import { withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { databasePlace, type Place } from '../state/database.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../state/open-store.ts'
import { loadServed, type PolicyOptions } from '../state/served-policy.ts'
import { readServerFile } from '../state/server-file.ts'

interface Options extends DatabaseOptions, PolicyOptions {
  readonly json?: boolean
  readonly tools: WhichTests
  readonly mcpAllow?: readonly string[]
}

export function addDoctor(program: Command, run: Run): void {
  takesDatabase(program.command('doctor'))
    .description('Diagnose problems in database, files, policy, people, notices and server.')
    .option('--policy <file>', 'the policy file the server was started with')
    .option('--governance <files...>', 'governance files it was started with')
    .addOption(
      new Option(
        '--tools <which>',
        'stored tests of published studio tools to run: none, reading or all',
      )
        .choices(WHICH_TESTS)
        .default('reading'),
    )
    .option('--mcp-allow <hosts...>', 'hosts of your own network that those tests may reach')
    .option('--json', 'print { ok, findings, limits }')
    .addHelpText(
      'after',
      '\nExits with 1 when something must be mended. Each finding says what to do.' +
        '\n\nExample:\n  $ countersign doctor',
    )
    .action((options: Options) => run((shell) => doctor(options, shell)))
}

async function doctor(options: Options, shell: Shell): Promise<number> {
  const findings = await findingsOf(options, shell)
  const problems = findings.filter(({ level }) => level === 'problem').length
  if (options.json) shell.out.json({ ok: problems === 0, findings, limits: LIMITS })
  else show(findings, problems, shell)
  return problems === 0 ? 0 : 1
}

export async function findingsOf(options: Options, shell: Shell): Promise<readonly Finding[]> {
  const place = databasePlace(options.db, shell)
  const server = readServerFile(place, options.tenant)
  const { findings: onPolicy, policy } = policyFindings(() => loadServed(options, shell))
  return [
    ...fileFindings(place),
    ...(await inDatabase(place, options, policy)),
    ...onPolicy,
    ...(policy ? await onCallFindings(policy, Date.now()) : []),
    ...(await serverFindings(server, packageVersion(), shell.env)),
    ...(server ? await active(options, shell) : []),
    ...claudeCodeFindings(shell.cwd),
    ...codingAgentFindings(shell.cwd),
  ]
}

async function inDatabase(
  place: Place,
  options: Options,
  policy: Policy | undefined,
): Promise<Finding[]> {
  const { existsSync } = await import('node:fs')
  if (place.kind === 'sqlite' && !existsSync(place.path)) {
    return [note('database', 'there is none yet', 'Run `countersign start` once.')]
  }
  try {
    const store = await openStore(place, options)
    try {
      const { createTokens } = await import('../../server/identity/tokens.ts')
      const { listAccounts } = await import('../../server/identity/people.ts')
      const tokens = await createTokens(store).list()
      return [
        ...(await databaseFindings(store, Date.now)),
        ...(policy ? peopleFindings(policy, await listAccounts(store.records)) : []),
        ...(await tokenFindings(store, tokens)),
        ...(await noticeFindings(store)),
        ...(policy ? await unanswered(store, policy) : []),
        ...(await studioFindings(store, {
          folder: place.folder,
          allowHosts: options.mcpAllow ?? [],
          which: options.tools,
        })),
      ]
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return [problem('database', error.message, error.hint ?? 'See docs/errors.md.')]
  }
}

async function unanswered(store: Store, policy: Policy): Promise<Finding[]> {
  const { createAccounts } = await import('../../server/identity/people.ts')
  const { unreachableNow } = await import('../../server/read-approvals.ts')
  const accounts = createAccounts({
    records: store.records,
    policy: () => policy,
  })
  return unreachableFindings(await unreachableNow({ store, credentials: { accounts } }))
}

/** Whether what is on disk is what the running server goes by. */
async function active(options: Options, shell: Shell): Promise<Finding[]> {
  try {
    return await withSession(options, shell, async (api) => {
      const draft = await api.call('GET /v1/policy/draft')
      if (draft === null) return [note('active policy', 'in code: there are no files to compare')]
      if (draft.problem) {
        return [
          problem(
            'active policy',
            `what is on disk is broken; an older policy is in force: ${draft.problem.message}`,
            'Correct the file before the next restart.',
          ),
        ]
      }
      return draft.changed
        ? [
            warning(
              'active policy',
              'what is on disk is not in force',
              'Look at it and apply it: `countersign policy apply`.',
            ),
          ]
        : [ok('active policy', 'what is on disk is in force')]
    })
  } catch (error) {
    if (!isCountersignError(error)) throw error
    return [note('active policy', `not looked at: ${error.message}`)]
  }
}

function show(findings: readonly Finding[], problems: number, shell: Shell): void {
  const { out } = shell
  showFindings(findings, shell)
  out.line('')
  out.line('What no check finds out:')
  for (const limit of LIMITS) out.line(`  - ${limit}`)
  out.line('')
  out.line(
    problems === 0
      ? 'Nothing has to be mended.'
      : `${count(problems, 'problem')} to mend; each line above says how.`,
  )
}
