/** Calls picked to be decided together. Apart from the rest: the list needs it before anything is picked. */

/** More calls than this are too many to read in one go. */
export const MOST_PICKED = 50

/** Adds what is not picked, or takes it away when all of it is. */
export function toggled(picked: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  if (ids.every((id) => picked.has(id))) {
    return new Set([...picked].filter((id) => !ids.includes(id)))
  }
  return new Set([...picked, ...ids].slice(0, Math.max(MOST_PICKED, picked.size)))
}
