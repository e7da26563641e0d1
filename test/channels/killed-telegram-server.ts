/** A server with Telegram that asks one question and dies where it is told to. */
import { telegram } from '../../src/channels/telegram/telegram.ts'
import { apiUrl, dyingServer } from './dying-server.ts'
import { BOT_ID, TOKEN } from './fake-telegram.ts'
import { FAY } from './telegram-world.ts'

const channel = telegram({ botToken: TOKEN, share: 'arguments', apiUrl })
await dyingServer(channel, { channel: 'telegram', workspace: String(BOT_ID), id: String(FAY) })
