/** A threat that tests would notice: the titles, or how they begin, by the file they stand in. */
export interface Covered {
  /** What goes wrong, or what an attacker does. One sentence. */
  readonly threat: string
  readonly tests: { readonly [file: string]: readonly [string, ...string[]] }
  /** What these tests leave open. */
  readonly partly?: string
  /** Present where nothing prevents it, and the tests only see to it that the documentation says so. */
  readonly limit?: string
}

/** A threat that no test exercises, with the reason. A real gap begins with `No test yet:`. */
export interface Uncovered {
  readonly threat: string
  readonly reason: string
}

export type Threat = Covered | Uncovered

/** Threats by id, as the threat model numbers them. */
export interface Threats {
  readonly [id: string]: Threat
}

/** An approval bug that another project had, with where it was published. */
export type PriorBug = Threat & { readonly source: string }

export interface PriorArt {
  readonly [id: string]: PriorBug
}

export const GAP = 'No test yet: '

export function isCovered(threat: Threat): threat is Covered {
  return 'tests' in threat
}

export function isGap(threat: Threat): boolean {
  return 'reason' in threat && threat.reason.startsWith(GAP)
}
