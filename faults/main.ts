/**
 * `npm run faults -- --cycles N --seed S [--store sqlite|postgres] [--nemesis NAME] [--only GROUP]`
 *
 * Kills real processes, breaks real databases, and checks after every restart that nothing was
 * lost, nothing ran twice and nothing is stuck. The last line counts; the exit code is 0 when
 * there was nothing to find.
 */
import { parseArgs } from 'node:util'
import { NEMESES, runFaults } from './run.ts'

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string' },
    nemesis: { type: 'string' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    quiet: { type: 'boolean', default: false },
  },
})

// What is started here is taken down when this ends, however it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(1))

const { store, nemesis } = values
if (store !== undefined && store !== 'sqlite' && store !== 'postgres') {
  process.stderr.write('usage: --store is sqlite or postgres\n')
  process.exit(2)
}
if (
  nemesis !== undefined &&
  !['kill', 'others'].includes(nemesis) &&
  !NEMESES.some(({ name }) => name === nemesis)
) {
  const names = [...new Set(NEMESES.map(({ name }) => name))].join(', ')
  process.stderr.write(`usage: --nemesis is one of: kill, others, ${names}\n`)
  process.exit(2)
}

const counts = await runFaults({
  cycles: Number(values.cycles),
  seed: values.seed,
  stores: store === undefined ? ['sqlite', 'postgres'] : [store],
  jobs: Number(values.jobs),
  ...(nemesis === undefined ? {} : { nemesis }),
  ...(values.only === undefined ? {} : { only: values.only }),
  say: (line) => {
    if (!values.quiet || line.startsWith('FAILED')) process.stdout.write(`${line}\n`)
  },
})
const { cycles, kills, lost, double, stuck, broken } = counts
for (const [name, count] of [...counts.byName].sort()) process.stdout.write(`${count}\t${name}\n`)
const rest = broken > 0 ? `, broken ${broken}` : ''
process.stdout.write(
  `cycles ${cycles}, kills ${kills}, lost ${lost}, double ${double}, stuck ${stuck}${rest}\n`,
)
process.exitCode = lost + double + stuck + broken === 0 && cycles > 0 ? 0 : 1
