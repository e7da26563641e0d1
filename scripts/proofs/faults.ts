/** 5,000 crashes and other faults on both databases. The seed can be given, and is printed. */
import { runFaults } from '../../faults/run.ts'

const seed = process.env.FAULTS_SEED ?? String(Date.now())
const counts = await runFaults({
  cycles: 5_000,
  seed,
  stores: ['sqlite', 'postgres'],
  jobs: 2,
  say: (line) => {
    if (!line.startsWith('ok')) process.stdout.write(`${line}\n`)
  },
})
const { cycles, kills, lost, double, stuck, broken } = counts
process.stdout.write(
  `seed ${seed}: cycles ${cycles}, kills ${kills}, lost ${lost}, double ${double}, stuck ${stuck}\n`,
)
process.exitCode = lost + double + stuck + broken === 0 ? 0 : 1
