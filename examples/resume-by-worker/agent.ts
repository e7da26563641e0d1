/** The agent: asks whether its call may run, and ends. */
import { openGate } from './shared.ts'

const [database = '', to = ''] = process.argv.slice(2)
const { gate, store } = openGate(database)
const { status } = await gate.check({ tool: 'send_mail', args: { to }, run: 'chat-1', key: to })
console.log(`The agent asked to write to ${to}: ${status}`)
await gate.close()
await store.close()
