/** Commits without and with a sync around one sync that fails, says what was acknowledged, and dies. */
import { DatabaseSync } from 'node:sqlite'
import { immediately, immediatelyUnsynced } from '../../src/store/sqlite/connection.ts'

const [file = ''] = process.argv.slice(2)
const db = new DatabaseSync(file)
db.exec('pragma journal_mode = wal; pragma synchronous = full; create table t (x)')
const insert = (x: number) => () => db.exec(`insert into t values (${x})`)

function attempt(x: number, run: typeof immediately): void {
  try {
    run(db, insert(x))
    process.stdout.write(`${x} acknowledged\n`)
  } catch {
    process.stdout.write(`${x} refused\n`)
  }
}

attempt(1, immediately)
process.stdout.write('ready\n')
process.stdin.once('data', () => {
  attempt(2, immediatelyUnsynced)
  attempt(3, immediately)
  attempt(4, immediately)
  process.kill(process.pid, 'SIGKILL')
})
