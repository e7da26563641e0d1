/** What the bot may do, and what each is for. */
export const SCOPES: Readonly<Record<string, string>> = {
  'chat:write': 'send messages and change its own',
  'im:write': 'open a direct message with a person',
  'im:history': 'read link codes, and find its own message after a crash',
  'channels:history': 'find its own message in a channel after a crash',
  'groups:history': 'the same in a private channel',
  'users:read': 'know guests, bots and people who left',
  'users:read.email': 'find the person to tell by their address',
}

/** An app of your own for `api.slack.com/apps`, as JSON. With an address, without Socket Mode. */
export function slackManifest(address?: string): object {
  const request_url = address === undefined ? {} : { request_url: address }
  return {
    display_information: {
      name: 'Countersign',
      description: 'Asks before a tool call of an AI agent runs.',
    },
    features: {
      bot_user: { display_name: 'Countersign', always_online: true },
      app_home: {
        home_tab_enabled: false,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
    },
    oauth_config: { scopes: { bot: Object.keys(SCOPES) } },
    settings: {
      event_subscriptions: { ...request_url, bot_events: ['message.im'] },
      interactivity: { is_enabled: true, ...request_url },
      org_deploy_enabled: false,
      socket_mode_enabled: address === undefined,
      token_rotation_enabled: false,
    },
  }
}
