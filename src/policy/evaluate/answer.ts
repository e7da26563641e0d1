/** What cannot be tested never helps a call: `unknown` counts like `yes`. */
export type Answer = 'yes' | 'no' | 'unknown'

export function answered(holds: boolean): Answer {
  return holds ? 'yes' : 'no'
}

/** Kleene's AND: one `no` settles it. */
export function every(answers: readonly Answer[]): Answer {
  if (answers.includes('no')) return 'no'
  return answers.includes('unknown') ? 'unknown' : 'yes'
}

/** Kleene's OR: one `yes` settles it. */
export function some(answers: readonly Answer[]): Answer {
  if (answers.includes('yes')) return 'yes'
  return answers.includes('unknown') ? 'unknown' : 'no'
}
