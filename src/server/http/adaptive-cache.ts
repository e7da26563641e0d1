/** A look that took long is not taken again before twenty times as long has passed. */
const SHARE = 20

/** Keeps an answer for a while that grows with what it cost: looking never takes up the server. */
export function sparingly<T>(look: () => Promise<T>, clock = () => performance.now()) {
  let kept: { readonly answer: Promise<T>; until: number } | undefined
  return (): Promise<T> => {
    if (kept && clock() < kept.until) return kept.answer
    const begun = clock()
    const mine = { answer: look(), until: Number.POSITIVE_INFINITY }
    kept = mine
    mine.answer.then(
      () => {
        mine.until = clock() + SHARE * (clock() - begun)
      },
      () => {
        mine.until = 0
      },
    )
    return mine.answer
  }
}
