import { createHash } from 'node:crypto'
import { type Locked, refOf } from './lockfile.ts'

interface Contents {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Packages that are installed beside the package, with all that they depend on. */
  readonly installed: readonly Locked[]
  /** Packages whose code is in the package's own files. */
  readonly bundled: readonly Locked[]
  /** When the commit was made: a clock would make each list different. */
  readonly madeAt: string
}

/** What users get, as CycloneDX 1.5. The same commit gives the same bytes. */
export function sbomOf({ name, version, license, installed, bundled, madeAt }: Contents) {
  const inside = new Set(bundled.map(refOf))
  const all = new Map([...bundled, ...installed].map((locked) => [refOf(locked), locked]))
  const refs = [...all.keys()].sort()
  const own = { name, version, license, uses: refs }
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: madeAt,
      component: { ...componentOf(own), type: 'application' },
    },
    components: refs.flatMap((ref) => {
      const locked = all.get(ref)
      if (!locked) return []
      const properties = inside.has(ref) ? [{ name: 'countersign:bundled', value: 'true' }] : []
      return [{ ...componentOf(locked), scope: 'required', properties }]
    }),
    dependencies: [own, ...refs.flatMap((ref) => all.get(ref) ?? [])].map((locked) => ({
      ref: refOf(locked),
      dependsOn: [...new Set(locked.uses)].filter((ref) => all.has(ref)).sort(),
    })),
  }
  return { ...bom, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bom))}` }
}

function componentOf(locked: Locked) {
  const { name, version, integrity = '', license } = locked
  const [, sha512] = /^sha512-(\S+)/.exec(integrity) ?? []
  const content = sha512 && Buffer.from(sha512, 'base64').toString('hex')
  return {
    'bom-ref': refOf(locked),
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(content ? { hashes: [{ alg: 'SHA-512', content }] } : {}),
    ...(license ? { licenses: [licenceOf(license)] } : {}),
  }
}

function licenceOf(license: string) {
  return / (?:OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}

/** `name@version` of each licence in a file that the build wrote. */
export function bundledIn(licences: string): string[] {
  return [...licences.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*) \(.+\)$/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  )
}
