/** A server with Discord that asks one question and dies where it is told to. */
import { discord } from '../../src/channels/discord/discord.ts'
import { serve } from '../../src/server/serve.ts'
import { FAY } from './discord-world.ts'
import { apiUrl, dyingInAnswer, dyingServer } from './dying-server.ts'
import { APP_ID, PUBLIC_KEY, TOKEN } from './fake-discord.ts'

const channel = discord({ botToken: TOKEN, publicKeys: PUBLIC_KEY, share: 'arguments', apiUrl })
const link = { channel: 'discord', workspace: APP_ID, id: FAY }
const server = await dyingServer(dyingInAnswer(channel), link)
const { url } = await serve(server.app, { host: '127.0.0.1', port: 0 })
process.send?.({ url })
