/** Asks, approves and claims, says so after each, and ends without closing: as a power cut does. */
import { existsSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import { asking, claiming, deciding } from '../../../src/testing/commands.ts'

const [file = '', head = '', rounds = '1'] = process.argv.slice(2)
const store = await sqliteStore(file, { head })
for (let round = 0; round < Number(rounds); round += 1) {
  const request = asking()
  let { approval } = await store.apply(request.id, request)
  writeSync(1, `acknowledged asked ${approval.id}\n`)
  approval = (await store.apply(approval.id, deciding(approval))).approval
  writeSync(1, `acknowledged approved ${approval.id}\n`)
  approval = (await store.apply(approval.id, claiming(approval))).approval
  writeSync(1, `acknowledged claimed ${approval.id}\n`)
}
const { entries } = await store.eventsSince('start', 500)
const last = `"seq":${entries.at(-1)?.seq}`
// What is kept beside the database is written soon after, and not with it.
const isNoted = () =>
  existsSync(head) && readFileSync(head, 'utf8').replaceAll(/\s/g, '').includes(last)
while (!isNoted()) await sleep(5)
process.kill(process.pid, 'SIGKILL')
