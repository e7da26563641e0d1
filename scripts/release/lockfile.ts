export interface Locked {
  readonly name: string
  readonly version: string
  readonly integrity?: string | undefined
  readonly license?: string | undefined
  /** `name@version` of what it depends on. */
  readonly uses: readonly string[]
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, Entry>>
}

interface Entry {
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export function refOf({ name, version }: Pick<Locked, 'name' | 'version'>): string {
  return `${name}@${version}`
}

/** The entries of these `name@version`; throws for one that is not in the lockfile. */
export function lockedAs({ packages }: Lockfile, wanted: readonly string[]): Locked[] {
  const known = new Map(
    Object.keys(packages).map((place) => {
      const locked = lockedAt(packages, place)
      return [refOf(locked), locked]
    }),
  )
  const missing = wanted.filter((one) => !known.has(one))
  if (missing.length > 0) throw new Error(`not in the lockfile: ${missing.join(', ')}`)
  return wanted.flatMap((one) => known.get(one) ?? [])
}

/** What a workspace uses by these names, with all that they depend on, as Node finds it. */
export function lockedClosure(
  { packages }: Lockfile,
  workspace: string,
  names: readonly string[],
): Locked[] {
  const missing = names.filter((name) => placeOf(packages, workspace, name) === undefined)
  if (missing.length > 0) throw new Error(`not in the lockfile: ${missing.join(', ')}`)
  const found = new Map<string, Locked>()
  const open = placesOf(packages, workspace, names)
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (found.has(place)) continue
    found.set(place, lockedAt(packages, place))
    open.push(...placesOf(packages, place, usedBy(packages[place])))
  }
  return [...found.values()]
}

function usedBy({ dependencies, optionalDependencies }: Entry = {}): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies })
}

/** Without those that are optional and have no place. */
function placesOf(
  packages: Lockfile['packages'],
  from: string,
  names: readonly string[],
): string[] {
  return names.flatMap((name) => placeOf(packages, from, name) ?? [])
}

/** The nearest folder upwards that has it. */
function placeOf(packages: Lockfile['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/\/?[^/]*$/, '')) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (Object.hasOwn(packages, place)) return place
    if (folder === '') return undefined
  }
}

function lockedAt(packages: Lockfile['packages'], place: string): Locked {
  const { integrity, license } = packages[place] ?? {}
  const uses = placesOf(packages, place, usedBy(packages[place]))
  return {
    ...namedAt(packages, place),
    integrity,
    license,
    uses: uses.map((one) => refOf(namedAt(packages, one))),
  }
}

function namedAt(packages: Lockfile['packages'], place: string) {
  const { name = place.replace(/^.*node_modules\//, ''), version = '' } = packages[place] ?? {}
  return { name, version }
}
