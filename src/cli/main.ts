import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { packageVersion } from '../app/version.ts'
import { addAcp } from './commands/acp.ts'
import { addAudit } from './commands/audit/audit.ts'
import { addKeys } from './commands/audit/keys.ts'
import { addCiba } from './commands/channels/ciba.ts'
import { addDiscord } from './commands/channels/discord.ts'
import { addSlack } from './commands/channels/slack.ts'
import { addTeams } from './commands/channels/teams.ts'
import { addTelegram } from './commands/channels/telegram.ts'
import { addConfig } from './commands/config.ts'
import { addDb } from './commands/db.ts'
import { addDecide } from './commands/decide.ts'
import { addDoctor } from './commands/doctor.ts'
import { addGrants } from './commands/grants.ts'
import { addHook } from './commands/hook.ts'
import { addInbox } from './commands/inbox.ts'
import { addInit } from './commands/init.ts'
import { addList } from './commands/list.ts'
import { addLock } from './commands/lock.ts'
import { addLogin } from './commands/login.ts'
import { addMcp } from './commands/mcp.ts'
import { addNotices } from './commands/notices.ts'
import { addOnCall } from './commands/oncall.ts'
import { addOpen } from './commands/open.ts'
import { addSupport } from './commands/operate/support.ts'
import { addTop } from './commands/operate/top.ts'
import { addPeople } from './commands/people.ts'
import { addApply } from './commands/policy/apply.ts'
import { addCheck } from './commands/policy/check.ts'
import { addDiff } from './commands/policy/diff.ts'
import { addExplain } from './commands/policy/explain.ts'
import { addPropose } from './commands/policy/propose.ts'
import { addReplay } from './commands/policy/replay.ts'
import { addRollback } from './commands/policy/rollback.ts'
import { addSchema } from './commands/policy/schema.ts'
import { addTest } from './commands/policy/test.ts'
import { addVersions } from './commands/policy/versions.ts'
import { addStart } from './commands/start.ts'
import { addStudio } from './commands/studio.ts'
import { addSwitch } from './commands/switch.ts'
import { addToken } from './commands/token.ts'
import { addTools } from './commands/tools.ts'
import { configure } from './config/effective.ts'
import { variableOf } from './config/settings.ts'
import { reportFailure, usage } from './failure.ts'
import { processShell, type Run } from './shell.ts'

export const EXIT_CODES = `
Exit codes:
  0   done; the answer is yes
  1   the answer is no: mistakes found, a policy test failed, lines not understood,
      a record that was tampered with
  2   the command or its input is wrong; nothing was done
  4   not found
  5   too late, or already decided
  6   not permitted
  7   the database or the server does not answer
  70  a bug in Countersign`

/** Runs one command line and answers with its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let shell = processShell()
  let code = 0
  const run: Run = async (body) => {
    code = await body(shell)
  }
  let held = ''
  const program = buildProgram(run, {
    writeOut: (text) => void shell.out.write(text),
    // Commander's own messages become errors in our form; see failure.ts.
    writeErr: (text) => {
      held += text
    },
  })
  program.hook('preAction', (_, command) => {
    // Which shows what came from where, and does so itself.
    if (command.parent?.name() === 'config') return
    const configured = configure(command, shell)
    shell = configured.shell
    for (const { setting, source, items } of configured.settings) {
      // Read by parts that are not handed an environment; secrets are none of them.
      if (source !== 'file' || setting.isSecret || !setting.inEnvironment) continue
      process.env[variableOf(setting)] = shell.env[variableOf(setting)] ?? items.join(' ')
    }
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, shell.err)
    if (error.exitCode === 0) return 0
    if (error.code !== 'commander.help') return reportFailure(error, shell.err)
    return reportFailure(usage('a command is missing', held.trimEnd()), shell.err)
  }
}

const WIDEST_HELP = 100

/** A pipe has no width, and long lines are hard to read on a wide terminal as well. */
function helpWidth(): number {
  const { columns = WIDEST_HELP } = process.stdout
  return Math.min(WIDEST_HELP, columns)
}

/** Every command with its options; also what docs/reference/cli.md is generated from. */
export function buildProgram(run: Run, output: OutputConfiguration): Command {
  const program = new Command('countersign')
    .description("Asks a person before an AI agent's tool call runs.")
    .version(packageVersion())
    .option('--config <file>', 'settings in a file, for every command; else COUNTERSIGN_CONFIG')
    .exitOverride()
    .configureOutput({ getOutHelpWidth: helpWidth, getErrHelpWidth: helpWidth, ...output })
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign init && countersign start')
    .addHelpText('after', EXIT_CODES)
  addStart(program, run)
  addOpen(program, run)
  addLogin(program, run)
  addMcp(program, run)
  addAcp(program, run)
  addTools(program, run)
  addHook(program, run)
  addList(program, run)
  addDecide(program, run)
  addGrants(program, run)
  addInbox(program, run)
  addNotices(program, run)
  addOnCall(program, run)
  addSlack(program, run)
  addTelegram(program, run)
  addDiscord(program, run)
  addTeams(program, run)
  addCiba(program, run)
  addLock(program, run)
  addPeople(program, run)
  addStudio(program, run)
  addToken(program, run)
  addDoctor(program, run)
  addTop(program, run)
  addSupport(program, run)
  addConfig(program, run)
  addDb(program, run)
  addInit(program, run)
  const policy = program
    .command('policy')
    .description(
      'Check, explain, test, replay and apply policy files, and switch tools of servers.',
    )
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign policy check countersign.yaml')
  addCheck(policy, run)
  addExplain(policy, run)
  addTest(policy, run)
  addReplay(policy, run)
  addSchema(policy, run)
  addApply(policy, run)
  addVersions(policy, run)
  addDiff(policy, run)
  addRollback(policy, run)
  addPropose(policy, run)
  addSwitch(policy, run)
  addAudit(program, run)
  addKeys(program, run)
  return program
}
