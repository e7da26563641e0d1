import type { Channel } from '../../src/gate/notify/channel.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type ChatLink, chatServer, linkFay } from './chat-server.ts'

/** The arguments of a process that dies: its database, the address of the provider, and where. */
export const [database = '', apiUrl = '', point = ''] = process.argv.slice(2)

const die = (at: string) => {
  if (at === point) process.kill(process.pid, 'SIGKILL')
}

/** A server with this channel that asks one question and dies where it is told to. */
export async function dyingServer(
  channel: Channel,
  link: ChatLink,
  prepare: (store: Store) => Promise<void> = async () => {},
) {
  const store = await openSqlite(database)
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
  await linkFay(store, link)
  await prepare(store)
  const server = chatServer(store, dying)
  await server.gate
    .with({ agent: 'biller' })
    .check({ tool: 'pay', args: { to: 'Lena' } }, { key: 'one' })
  // Until it is killed.
  setInterval(() => {}, 1_000)
  return server
}

/** Dies once it has decided and before it has answered. The first answer is the card that she opened. */
export function dyingInAnswer(channel: Channel): Channel {
  let answers = 0
  return {
    ...channel,
    async receive(request) {
      const response = await channel.receive?.(request)
      answers += 1
      if (answers === 2) die('answering')
      return response ?? Response.error()
    },
  }
}
