import type { Command } from 'commander'
import type { McpOAuthOptions } from '../../app/mcp-gateway.ts'

/** What a command line says about MCP clients that people allow. */
export interface OAuthFlags {
  /** `--no-oauth` makes it false. */
  readonly oauth: boolean
  readonly oauthClients?: readonly string[]
  readonly oauthAllow?: readonly string[]
}

export function takesOAuth(command: Command): Command {
  return command
    .option('--no-oauth', 'people cannot allow MCP clients at /mcp; admins make tokens')
    .option('--oauth-clients <hosts...>', 'only clients of these hosts can be allowed: claude.ai')
    .option(
      '--oauth-allow <hosts...>',
      'hosts of your own network whose client metadata documents are read',
    )
}

export function readOAuth(flags: OAuthFlags): McpOAuthOptions | false {
  const { oauth, oauthClients: clients, oauthAllow: allowHosts = [] } = flags
  return oauth ? { allowHosts, ...(clients ? { clients } : {}) } : false
}
