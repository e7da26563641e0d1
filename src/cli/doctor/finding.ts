/** One thing that was looked at. Only a problem makes the command fail. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'note' | 'warning' | 'problem'
  readonly says: string
  /** What to do about it. */
  readonly fix?: string
}

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says }
}

export function note(check: string, says: string, fix?: string): Finding {
  return { check, level: 'note', says, ...(fix === undefined ? {} : { fix }) }
}

export function warning(check: string, says: string, fix: string): Finding {
  return { check, level: 'warning', says, fix }
}

export function problem(check: string, says: string, fix: string): Finding {
  return { check, level: 'problem', says, fix }
}

/** What no check can find out, said every time. */
export const LIMITS: readonly string[] = [
  'A gate inside an agent’s own process is cooperative: code there can call a tool directly. Only a gateway that alone holds the credential of the tool’s server cannot be walked around.',
  'An agent that runs as the same user as this server can read and change the same files.',
  'What a tool reads later is not bound: an approved deploy of a branch deploys what the branch is by then.',
  'A tired person can approve a faithful card.',
]
