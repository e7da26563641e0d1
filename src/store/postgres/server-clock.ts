/** The server's clock by ours: never ahead of it, unless one of the two is set. */
export class ServerClock {
  #offset = Number.NaN

  /** A time of the server, which came in at `at` of our own. */
  heard(now: number, at: number): void {
    // What came the fastest way is the nearest.
    this.#offset = Number.isNaN(this.#offset) ? now - at : Math.max(this.#offset, now - at)
  }

  /** It was not as we thought: the next one heard counts alone. */
  forget(): void {
    this.#offset = Number.NaN
  }

  now(): number | undefined {
    return Number.isNaN(this.#offset) ? undefined : Math.floor(performance.now() + this.#offset)
  }
}
