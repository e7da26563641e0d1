/** Where a promise comes from: a document we implement, or our own design. */
export type Source =
  | 'Agent Format'
  | 'Atmosphere'
  | 'Spring AI Playground'
  | 'adk-rs'
  | 'Cloudflare Agents'
  | 'Countersign'

/** What it is about, with the heading it has on the generated page; the order is kept there. */
export const AREAS = {
  asking: 'When a person is asked',
  conditions: 'Conditions',
  questions: 'What the person reads',
  inbox: 'Deciding, in the browser and in the terminal',
  servers: 'Tools of servers',
  studio: 'Tools of the studio',
  chat: 'The chat, and connecting agents',
  delegation: 'Delegation and skills',
  governance: 'Governance',
  terms: 'Who may answer, and for how long',
  modes: 'Modes',
  risk: 'Risk',
  calls: 'Calls',
  answers: 'Asking and answering',
  running: 'Running what was approved',
  workflows: 'Durable workflows',
  grants: 'Standing grants',
  outcomes: 'When it does not run, and what the model reads',
  secrets: 'Secrets',
  locks: 'Locks and people',
  proof: 'Proof',
  server: 'The server, and who is let in',
  authzen: 'AuthZEN, as decision point and as enforcement point',
  oauth: 'MCP clients that people allow',
  hooks: 'Coding agents, by hook',
  files: 'Policy files',
} as const

export type Area = keyof typeof AREAS

export interface Promised {
  readonly source: Source
  readonly area: Area
  /** One sentence, in the present tense: what a user can rely on. */
  readonly says: string
  /** How the source has it, and why we deliberately do otherwise. */
  readonly differs?: string
  /** Stands in the README as well. */
  readonly headline?: true
}

/** The promises of one source, each with its id. */
export function from<const Id extends string>(
  source: Source,
  promises: { readonly [key in Id]: Omit<Promised, 'source'> },
): { readonly [key in Id]: Promised } {
  const entries = Object.entries<Omit<Promised, 'source'>>(promises)
  const named = entries.map(([id, promise]) => [id, { source, ...promise }])
  return Object.fromEntries(named) as { readonly [key in Id]: Promised }
}
