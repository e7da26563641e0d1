/** A server with Slack that asks one question and dies where it is told to. */
import { slack } from '../../src/channels/slack/slack.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { SIGNING_SECRET, TOKENS } from './fake-slack.ts'
import { linkFay, slackServer } from './slack-server.ts'

const [database = '', apiUrl = '', point = ''] = process.argv.slice(2)
const die = (at: string) => {
  if (at === point) process.kill(process.pid, 'SIGKILL')
}

const store = await openSqlite(database)
const channel = slack({
  botToken: TOKENS.bot,
  appToken: TOKENS.app,
  signingSecrets: SIGNING_SECRET,
  share: 'arguments',
  apiUrl,
})
const dying: Channel = {
  ...channel,
  connect: (host) =>
    channel.connect?.({
      ...host,
      async decide(from, answer) {
        die('deciding')
        const decided = await host.decide(from, answer)
        die('decided')
        return decided
      },
    }) ?? (() => {}),
}
const server = slackServer(store, dying)
await linkFay(store)
await server.gate
  .with({ agent: 'biller' })
  .check({ tool: 'pay', args: { to: 'Lena' } }, { key: 'one' })
// Until it is killed.
setInterval(() => {}, 1_000)
