/** The worker: runs what people have approved, also what they approved while it was not running. */
import { appendFileSync } from 'node:fs'
import { runApproved } from 'countersign'
import { openGate } from './shared.ts'

const [database = '', mails = ''] = process.argv.slice(2)
const { gate } = openGate(database)
const tools = {
  async send_mail({ to }: { to: string }) {
    appendFileSync(mails, `${to}\n`)
    // Long enough to be killed in the middle of it.
    if (to === 'slow') await new Promise((resolve) => setTimeout(resolve, 60_000))
    return 'sent'
  },
}

runApproved(gate, tools, {
  onOutcome: ({ status }, { call }) => console.log(`The mail to ${call.key}: ${status}`),
})
