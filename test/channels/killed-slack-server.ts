/** A server with Slack that asks one question and dies where it is told to. */
import { slack } from '../../src/channels/slack/slack.ts'
import { SLACK } from './chat-server.ts'
import { apiUrl, dyingServer } from './dying-server.ts'
import { SIGNING_SECRET, TOKENS } from './fake-slack.ts'

const secrets = { botToken: TOKENS.bot, appToken: TOKENS.app, signingSecrets: SIGNING_SECRET }
await dyingServer(slack({ ...secrets, share: 'arguments', apiUrl }), SLACK)
