/** The app that people install in Teams: a bot in personal chats, and nothing else. */
export function appManifest(appId: string, url: string) {
  const { origin } = new URL(url)
  return {
    $schema: 'https://developer.microsoft.com/json-schemas/teams/v1.17/MicrosoftTeams.schema.json',
    ...{ manifestVersion: '1.17', version: '1.0.0', id: appId },
    developer: {
      ...{ name: 'Countersign', websiteUrl: origin, privacyUrl: origin, termsOfUseUrl: origin },
    },
    name: { short: 'Countersign' },
    description: {
      short: 'Approve the calls of your agents',
      full: 'Countersign asks you before a call of an AI agent runs.',
    },
    icons: { color: 'color.png', outline: 'outline.png' },
    accentColor: '#1D5FBF',
    bots: [{ botId: appId, scopes: ['personal'], supportsFiles: false, isNotificationOnly: false }],
  }
}
