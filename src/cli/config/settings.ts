import { CHANNEL_SETTINGS } from './channel-settings.ts'

/**
 * One thing that an operator can set. Its name is the key in the configuration file; the same name
 * in capitals with `COUNTERSIGN_` before it is the variable of the environment.
 */
export interface Setting {
  readonly name: string
  readonly about: string
  /** On `start`, and on other commands that have a flag of this name. */
  readonly flag?: string
  /** A text unless set. Switches are `on` and `off`, `true` and `false`, `1` and `0`. */
  readonly kind?: 'switch' | 'list' | 'number'
  /** Never printed. In a configuration file only the name of a file with it may stand. */
  readonly isSecret?: boolean
  /** An address that is enough to send there: only its origin is printed. */
  readonly isCapability?: boolean
  /** Beside the configuration file that names it; elsewhere from the current folder. */
  readonly isPath?: boolean
  /** All sources count together. Of others the first counts: flag, environment, file. */
  readonly adds?: boolean
  /** The code that uses it looks at the environment itself. */
  readonly inEnvironment?: boolean
  readonly initially?: string
}

const SERVER_SETTINGS: readonly Setting[] = [
  {
    name: 'db',
    about: 'where approvals are: `sqlite:PATH` or `postgres://…`',
    flag: '--db',
    isSecret: true,
    inEnvironment: true,
    initially: '.countersign/',
  },
  {
    name: 'db_direct',
    about: 'the same Postgres past its pooler, for `LISTEN`',
    isSecret: true,
    inEnvironment: true,
  },
  {
    name: 'migrate',
    about: 'bring the Postgres schema up to date at the start; `off` where a job does',
    flag: '--no-migrate',
    kind: 'switch',
    inEnvironment: true,
    initially: 'on',
  },
  { name: 'tenant', about: 'whose approvals, where several share a database', flag: '--tenant' },
  { name: 'host', about: 'where to listen', flag: '--host' },
  { name: 'port', about: 'port to listen on', flag: '--port', kind: 'number' },
  {
    name: 'public_url',
    about: 'the https address that people open',
    inEnvironment: true,
  },
  { name: 'policy', about: 'the policy file', flag: '--policy', isPath: true },
  {
    name: 'governance',
    about: 'governance files; in the environment separated by `:` or `,`',
    flag: '--governance',
    kind: 'list',
    isPath: true,
    adds: true,
    inEnvironment: true,
  },
  {
    name: 'apply_policy',
    about: 'put changed policy files into force at the start',
    flag: '--apply-policy',
    kind: 'switch',
  },
  {
    name: 'observe',
    about: 'record what the policy would ask, and let it pass',
    flag: '--observe',
    kind: 'switch',
  },
  { name: 'log', about: '`json` or `text`', flag: '--log' },
  { name: 'log_level', about: '`debug`, `info`, `warn` or `error`', flag: '--log-level' },
  {
    name: 'metrics_token',
    about: 'opens `/metrics` from elsewhere',
    isSecret: true,
    inEnvironment: true,
  },
  {
    name: 'calls_per_second',
    about: 'what one agent token may ask',
    flag: '--calls-per-second',
    kind: 'number',
  },
  {
    name: 'sign_command',
    about: 'a program that signs, for a key in a KMS or an HSM',
    isPath: true,
    inEnvironment: true,
  },
  {
    name: 'sign_key',
    about: 'the public half of that key: a file with a JSON Web Key',
    isPath: true,
    inEnvironment: true,
  },
  { name: 'demo', about: 'offer the demo agent', flag: '--demo', kind: 'switch' },
  {
    name: 'docs',
    about: 'a folder with the documentation, served at `/docs`',
    flag: '--docs',
    isPath: true,
  },
]

const SIGN_IN_SETTINGS: readonly Setting[] = [
  { name: 'oidc_issuer', about: 'the OpenID Connect provider', flag: '--oidc-issuer' },
  { name: 'oidc_client_id', about: "this server's name there", flag: '--oidc-client-id' },
  {
    name: 'oidc_client_secret',
    about: 'its secret there',
    isSecret: true,
    inEnvironment: true,
  },
  { name: 'oidc_name', about: 'what the button says', flag: '--oidc-name' },
  {
    name: 'oidc_groups_claim',
    about: 'the claim that lists groups',
    flag: '--oidc-groups-claim',
    initially: 'groups',
  },
  {
    name: 'oidc_viewer_group',
    about: 'groups that may look; `*` is every user there',
    flag: '--oidc-viewer-group',
    kind: 'list',
  },
  {
    name: 'oidc_approver_group',
    about: 'groups with the approver role',
    flag: '--oidc-approver-group',
    kind: 'list',
  },
  {
    name: 'oidc_admin_group',
    about: 'groups with the admin role',
    flag: '--oidc-admin-group',
    kind: 'list',
  },
  {
    name: 'oauth',
    about: 'people may allow MCP clients at `/mcp`',
    flag: '--no-oauth',
    kind: 'switch',
    initially: 'on',
  },
  {
    name: 'oauth_clients',
    about: 'only clients of these hosts',
    flag: '--oauth-clients',
    kind: 'list',
  },
  {
    name: 'oauth_allow',
    about: 'hosts of your own network whose client metadata is read',
    flag: '--oauth-allow',
    kind: 'list',
  },
]

const REACH_SETTINGS: readonly Setting[] = [
  {
    name: 'mcp_allow',
    about: 'hosts of your own network that `mcp_servers` may reach',
    flag: '--mcp-allow',
    kind: 'list',
    adds: true,
    inEnvironment: true,
  },
  {
    name: 'mcp_commands',
    about: 'admins may add commands as MCP servers in the inbox',
    flag: '--mcp-commands',
    kind: 'switch',
  },
  {
    name: 'mcp_processes',
    about: 'how often one command of `mcp_servers` may run at once',
    flag: '--mcp-processes',
    kind: 'number',
  },
  {
    name: 'pdp_allow',
    about: 'hosts of your own network that policy decision points may be at',
    kind: 'list',
    inEnvironment: true,
  },
  {
    name: 'calendar_allow',
    about: 'hosts of your own network that calendars may be at',
    kind: 'list',
    inEnvironment: true,
  },
  {
    name: 'chat_allow',
    about: 'hosts of your own network that models may be at',
    kind: 'list',
    inEnvironment: true,
  },
  { name: 'chat_local', about: '`off`: look for no models on this machine', inEnvironment: true },
  {
    name: 'chat_timeout',
    about: 'how long a model may be silent',
    inEnvironment: true,
  },
  { name: 'openai_models', about: 'models to offer of OpenAI', kind: 'list', inEnvironment: true },
  {
    name: 'anthropic_models',
    about: 'models to offer of Anthropic',
    kind: 'list',
    inEnvironment: true,
  },
  { name: 'google_models', about: 'models to offer of Google', kind: 'list', inEnvironment: true },
]

/** Headings and order are those of docs/operate/configure.md. */
export const SETTING_GROUPS: Readonly<Record<string, readonly Setting[]>> = {
  'The server': SERVER_SETTINGS,
  'Sign-in': SIGN_IN_SETTINGS,
  'What it may reach': REACH_SETTINGS,
  'How people are told': CHANNEL_SETTINGS,
}

export const SETTINGS: readonly Setting[] = Object.values(SETTING_GROUPS).flat()

export function variableOf({ name }: Pick<Setting, 'name'>): string {
  return `COUNTERSIGN_${name.toUpperCase()}`
}

/** As Commander keeps it: `--no-oauth` and `--oauth-allow` are `oauth` and `oauthAllow`. */
export function attributeOf(flag: string): string {
  return flag
    .replace(/^--(?:no-)?/, '')
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
