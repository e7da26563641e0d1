/** Denies what waits, begins to send the end of it to a device, and is killed on the way. */
import { webPush } from '../../../src/channels/push/web-push.ts'
import { startDeliverer } from '../../../src/gate/notify/deliver.ts'
import { openSqlite } from '../../../src/store/sqlite/open-store.ts'
import { approverNamed, deciding } from '../../../src/testing/commands.ts'

const [database = '', key = '', host = '', point = ''] = process.argv.slice(2)

const store = await openSqlite(database)
const { channel } = webPush({
  store,
  key: JSON.parse(key),
  contact: 'mailto:ops@example.com',
  home: () => undefined,
  allowHosts: [host],
})
const [asked] = (await store.list({ status: ['pending'] })).approvals
if (!asked) throw new Error('nothing waits')
await store.apply(asked.id, deciding(asked, approverNamed('bo'), 'deny'))
const deliverer = startDeliverer({
  store,
  channels: [channel],
  every: 1_000_000,
  probe: (reached) => {
    if (reached === point) process.kill(process.pid, 'SIGKILL')
  },
})
await deliverer.deliver()
