import type { RESTPostAPIApplicationCommandsJSONBody } from 'discord-api-types/v10'

/** A bot without a connection of its own hears no messages, so a link code is sent by a command. */
export const COMMAND = 'countersign'
export const CODE_OPTION = 'code'

export const HELLO =
  'To let this account answer for you, sign in to the inbox, make a code under Linked accounts and send it with this command.'

/** As Discord is told it: in servers and in the conversation with the bot. Only its sender sees the answer. */
export const LINK_COMMAND: RESTPostAPIApplicationCommandsJSONBody = {
  type: 1,
  name: COMMAND,
  description: 'Link this account to the inbox of Countersign',
  contexts: [0, 1],
  options: [
    {
      type: 3,
      name: CODE_OPTION,
      description: 'The code that the inbox shows under Linked accounts',
      required: true,
      max_length: 40,
    },
  ],
}
