/**
 * `npm run release -- --dry-run`: checks the checkout, builds, writes the SBOM and packs twice. Then
 * it prints the command that publishes; without `--dry-run` it runs it.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { auditDependencies } from './audit-deps.ts'
import { build } from './build.ts'
import { packTwice } from './pack-twice.ts'
import { unready } from './release/checks.ts'
import { mustRun } from './release/command.ts'
import { writeSbom } from './sbom.ts'
import { root } from './tool.ts'

const USAGE = `npm run release -- [--dry-run] --tested COMMIT

  --tested COMMIT  the commit that npm test was green on; it has to be this one
  --dry-run        prints the command that publishes instead of running it, and goes on after each problem`

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

async function release({ dryRun, tested }: { dryRun: boolean; tested: string | undefined }) {
  const problems: string[] = []
  /** A release ends at the first problem; a dry run names them all. */
  const problem = (text: string) => {
    if (!dryRun) throw new Error(text)
    problems.push(text)
    console.log(`problem: ${text}`)
  }
  const commit = mustRun('git', ['rev-parse', 'HEAD']).trim()
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const checkout = {
    branch: mustRun('git', ['branch', '--show-current']).trim(),
    status: mustRun('git', ['status', '--porcelain']),
    version,
    changelog: read('CHANGELOG.md'),
    chart: read('deploy/helm/countersign/Chart.yaml'),
  }
  for (const reason of unready(checkout)) problem(reason)
  if (tested === undefined || !commit.startsWith(tested) || tested.length < 7) {
    problem(`npm test has to be green on ${commit.slice(0, 12)}: pass it as --tested`)
  }
  const audit = auditDependencies(true)
  if (audit !== 0) problem(audit === 1 ? 'vulnerable dependencies' : 'dependencies not audited')
  const built = await build()
  if (!built.ok) throw new Error(built.output)
  console.log(`sbom: ${path.relative(root, writeSbom())}`)
  const { file, sha256 } = packTwice()
  const name = path.relative(root, file)
  console.log(`package: ${name}, the same from two builds\nsha256: ${sha256}`)
  const publish = ['publish', name, '--provenance', '--access', 'public']
  if (dryRun) {
    console.log(`to publish: npm ${publish.join(' ')}`)
    return problems.length === 0 ? 0 : 1
  }
  return spawnSync('npm', publish, { cwd: root, stdio: 'inherit' }).status ?? 1
}

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    tested: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) console.log(USAGE)
else {
  try {
    process.exitCode = await release({ dryRun: values['dry-run'], tested: values.tested })
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
