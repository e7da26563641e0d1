/** A server whose provider asks one person, and that dies where it is told to. */
import { ciba } from '../../src/channels/ciba/ciba.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { chatServer } from './chat-server.ts'
import { CIBA_POLICY, oidcOptions, signedInBefore } from './ciba-people.ts'

const [database = '', issuer = '', point = ''] = process.argv.slice(2)

const die = (at: string) => {
  if (at === point) process.kill(process.pid, 'SIGKILL')
}

const channel = ciba()
const dying: Channel = {
  ...channel,
  connect(host) {
    const { provider, requests } = host
    if (!provider) throw new Error('there is no provider')
    return (
      channel.connect?.({
        ...host,
        requests: {
          ...requests,
          async put(name, value, options) {
            if (value.state === 'open' && value.failures === 0 && options.expect === 1)
              die('noting')
            const kept = await requests.put(name, value, options)
            if (value.state === 'open' && options.expect === 1) die('noted')
            if (value.state === 'over') die('over')
            return kept
          },
        },
        provider: {
          ...provider,
          async begin(...given) {
            die('asking')
            return provider.begin(...given)
          },
          async poll(request) {
            const answer = await provider.poll(request)
            if (answer.state !== 'pending') die('polled')
            return answer
          },
          async approve(...given) {
            die('deciding')
            const decided = await provider.approve(...given)
            die('decided')
            return decided
          },
        },
      }) ?? (() => {})
    )
  },
}

const store = await openSqlite(database)
const url = new URL(issuer)
await signedInBefore(store, url.origin, 'fay')
const server = chatServer(store, dying, { policy: CIBA_POLICY, oidc: oidcOptions(url) })
await server.gate
  .with({ agent: 'biller' })
  .check({ tool: 'note', args: { text: 'hello' } }, { key: 'one' })
// Until it is killed.
setInterval(() => {}, 1_000)
