/**
 * Whether every place can be filled by a person of its own. Someone fit for two places fills one,
 * so counting heads per group is not enough: this looks for a matching, moving people who sit
 * already when that frees a place.
 */
export function canFillAll(
  places: number,
  people: number,
  fits: (place: number, person: number) => boolean,
): boolean {
  if (places > people) return false
  const seats = new Map<number, number>()
  for (let place = 0; place < places; place++) {
    if (!fill(place, people, fits, seats, new Set())) return false
  }
  return true
}

function fill(
  place: number,
  people: number,
  fits: (place: number, person: number) => boolean,
  seats: Map<number, number>,
  tried: Set<number>,
): boolean {
  for (let person = 0; person < people; person++) {
    if (tried.has(person) || !fits(place, person)) continue
    tried.add(person)
    const held = seats.get(person)
    if (held === undefined || fill(held, people, fits, seats, tried)) {
      seats.set(person, place)
      return true
    }
  }
  return false
}
