/** `review question.stored`, in the workflow with this `id` in its arguments. */
export interface DeadlyPlace {
  readonly at: string
  readonly of: string
}

/** What a worker process is told. */
export interface WorkerConfig {
  readonly engine: string
  /** Where the engine keeps its runs: a file, or a URL. */
  readonly engineDatabase: string
  /** Where the gate keeps its approvals. */
  readonly gateDatabase: string
  /** In place of a gate of its own. */
  readonly server?: { readonly url: string; readonly token: string }
  /** What really ran, one line each. */
  readonly log: string
  /** Another policy is in force as soon as this file exists. */
  readonly frozenFlag: string
  /** Whether this process sends wake-ups. */
  readonly wakes: boolean
  /** The process kills itself when it is at all of these places. */
  readonly die?: readonly DeadlyPlace[]
  /** How far the clock of this process is ahead, in milliseconds: the time that all were down. */
  readonly clockAhead?: number
  /** What only this engine needs. */
  readonly own?: Readonly<Record<string, string>>
}

export const CASE_RULES = `
  people:
    groups: { finance: [ana@example.com, bo@example.com] }
`

/** As a whole file. */
export const VERSIONED_RULES = `version: 1
people:
  groups: { finance: [ana@example.com, bo@example.com] }
`

/** The same, with one thing forbidden. */
export const FROZEN_RULES = `
  people:
    groups: { finance: [ana@example.com, bo@example.com] }
  governance:
    - id: freeze
      match: { tool: frozen }
      deny: Nothing is released this week
`
