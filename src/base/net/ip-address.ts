/** Whether a text is an address itself, rather than a name that stands for one. */
export function isAddress(text: string): boolean {
  return groupsOf(text) !== undefined
}

/** Publicly reachable on the internet: neither this machine nor a private network. */
export function isPublicAddress(text: string): boolean {
  const groups = groupsOf(text)
  if (groups === undefined) return false
  if (groups.length === 4) return !NOT_PUBLIC_4.some((range) => isWithin(groups, range))
  return isWithin(groups, GLOBAL_6) && !NOT_PUBLIC_6.some((range) => isWithin(groups, range))
}

export function isLoopbackAddress(text: string): boolean {
  const groups = groupsOf(text)
  return groups !== undefined && LOOPBACK.some((range) => isWithin(groups, range))
}

const DOTTED = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/

interface Range {
  readonly groups: readonly number[]
  readonly bits: number
}

const NOT_PUBLIC_4 = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

// What is public is listed, and what hides an older address inside is taken out again.
const GLOBAL_6 = rangeOf('2000::/3')
const NOT_PUBLIC_6 = ranges(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])
const LOOPBACK = ranges(['127.0.0.0/8', '::1/128'])

function ranges(texts: readonly string[]): readonly Range[] {
  return texts.map(rangeOf)
}

function rangeOf(text: string): Range {
  const [net = '', bits] = text.split('/')
  return { groups: groupsOf(net) ?? [], bits: Number(bits) }
}

/** Four groups of 8 bits or eight of 16. */
function isWithin(groups: readonly number[], range: Range): boolean {
  if (groups.length !== range.groups.length) return false
  const width = groups.length === 4 ? 8 : 16
  return groups.every((group, at) => {
    const counted = Math.min(width, Math.max(0, range.bits - at * width))
    const rest = width - counted
    return group >> rest === (range.groups[at] ?? 0) >> rest
  })
}

function groupsOf(text: string): readonly number[] | undefined {
  if (DOTTED.test(text)) {
    const groups = text.split('.').map(Number)
    return groups.every((group) => group < 256) ? groups : undefined
  }
  // The parser of addresses on the web knows every way to write one, and writes them in one way.
  const host = text.includes(':') ? `http://[${text}]/` : ''
  if (!/^[0-9A-Fa-f:.]+$/.test(text) || !URL.canParse(host)) return undefined
  const [start = '', end] = new URL(host).hostname.slice(1, -1).split('::')
  const [before, after] = [start, end ?? ''].map((half) =>
    half.split(':').flatMap((group) => (group === '' ? [] : Number.parseInt(group, 16))),
  ) as [number[], number[]]
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}
