/** A name pattern that knows `*` alone. Names are chosen by models, so matching must be linear. */
export interface Glob {
  readonly text: string
}

/**
 * Greedy with one step back: at most text × pattern steps, whatever either holds. A translation
 * to a regular expression would backtrack exponentially on `*a*a*a*b`.
 */
export function globMatches(glob: string, text: string): boolean {
  let at = 0
  let next = 0
  let star = -1
  let resume = 0
  while (at < text.length) {
    const char = glob.charCodeAt(next)
    if (char === 42) {
      star = next++
      resume = at
    } else if (next < glob.length && char === text.charCodeAt(at)) {
      next++
      at++
    } else if (star >= 0) {
      next = star + 1
      at = ++resume
    } else {
      return false
    }
  }
  while (glob.charCodeAt(next) === 42) next++
  return next === glob.length
}
