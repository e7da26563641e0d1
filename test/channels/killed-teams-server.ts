/** A server with the bot of Teams that asks one question and dies where it is told to. */
import { teamsBot } from '../../src/channels/teams/teams-bot.ts'
import { keepConversation } from '../../src/channels/teams/teams-conversations.ts'
import type { ChannelHost } from '../../src/gate/notify/channel-host.ts'
import { channelNotes } from '../../src/server/channels/channel-notes.ts'
import { serve } from '../../src/server/serve.ts'
import { apiUrl, dyingInAnswer, dyingServer } from './dying-server.ts'
import { TENANT } from './fake-teams.ts'
import { botOptions, FAY, placeOf } from './teams-world.ts'

const serviceUrl = `${apiUrl}/amer/`
const options = botOptions({ url: apiUrl, host: new URL(apiUrl).host })
const channel = dyingInAnswer(teamsBot({ ...options, share: 'arguments' }))
const server = await dyingServer(
  channel,
  { channel: 'teams', workspace: TENANT, id: FAY },
  // She wrote to the bot before.
  (store) =>
    keepConversation({ notes: channelNotes('teams', store) } as ChannelHost, FAY, {
      ...{ id: placeOf(FAY), serviceUrl },
    }),
)
const { url } = await serve(server.app, { host: '127.0.0.1', port: 0 })
process.send?.({ url })
