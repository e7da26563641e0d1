/** One turn of an agent that defers, in a process of its own: `{ place, database, resume? }`. */

import { waitingIn } from '../../../src/adapters/claude-agent-sdk/waiting.ts'
import { internals } from '../../../src/gate/internals.ts'
import { openSqlite } from '../../../src/store/sqlite/open-store.ts'
import { install } from './install.ts'
import type { Place } from './place.ts'
import { call, gateOn, start } from './session.ts'

interface Wanted {
  readonly place: Place
  readonly database: string
  readonly resume?: string
}

const { place, database, resume } = JSON.parse(process.argv[2] ?? '') as Wanted
const store = await openSqlite(database)
const gate = gateOn(store)
const { ended } = await start({
  installed: await install(),
  place,
  gate,
  asking: { mode: 'suspend' },
  ...(resume === undefined
    ? { turns: [[call('c1', 5)]] }
    : { turns: [], prompt: '', options: { resume } }),
})
const { messages, model, ran } = await ended
const waiting = messages.map(waitingIn).find((one) => one !== undefined)
process.stdout.write(JSON.stringify({ ran, waiting, read: model.read('c1') }))
await gate[internals].idle()
await store.close()
