/** Writes docs/interop.md: every door that is no adapter, what it was run with, and the tests that ran it. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DOORS, type Door, type Peer } from './interop/doors.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'interop.md')

export function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

export function interopPage(doors: readonly Door[] = DOORS): string {
  return [
    '# Interoperability',
    '',
    'Every way in that is no [adapter](adapters.md), the program on the other side, and the tests that run both. Versions are read',
    'from `package-lock.json`, which `npm test` installs, or from where a long proof pins them. Where no real program runs, the table says',
    'so, with what our peer was written from. This page is written by `npm run interop`; a test compares it, and fails when a',
    'test that is named here is gone. It runs nothing itself: that the tests pass is what `npm test` says.',
    '',
    '| Door | Run with | Tests |',
    '|---|---|---|',
    ...doors.map(
      (one) => `| [${one.door}](${one.guide}) | ${peersOf(one.peers)} | ${testsOf(one)} |`,
    ),
    '',
    'What the protocol’s own suite says of MCP is in [MCP conformance](mcp-conformance.md).',
    '',
  ].join('\n')
}

function peersOf(peers: readonly Peer[]): string {
  return peers.map(peerOf).join('<br>')
}

function peerOf(peer: Peer): string {
  if ('proof' in peer) {
    const { proof, package: name } = peer
    return `\`${name}\` ${pinned(peer)} (by \`npm run proof ${proof}\`, not in \`npm test\`)`
  }
  if ('package' in peer) return `\`${peer.package}\` ${versionOf(peer.package)} (${peer.as})`
  if ('project' in peer) {
    const [, name = ''] = /^name = "(.+)"$/m.exec(read(peer.project)) ?? []
    const [, version = ''] = /^version = "(.+)"$/m.exec(read(peer.project)) ?? []
    return `\`${name}\` ${version} of this repository, with the Python of the machine`
  }
  return `No real program; a peer of our own. ${sourceOf(peer)}`
}

/** As it is installed at the top: what a file in test/ imports. */
export function versionOf(name: string): string {
  return lockedVersion('package-lock.json', name)
}

function lockedVersion(file: string, name: string): string {
  const { packages } = JSON.parse(read(file)) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>
  }
  const version = packages[`node_modules/${name}`]?.version
  if (version === undefined) throw new Error(`${name} is not in ${file}`)
  return version
}

/** In a lock file, or as `name@version` in the proof itself. */
function pinned({ package: name, in: file }: { package: string; in: string }): string {
  if (file.endsWith('package-lock.json')) return lockedVersion(file, name)
  const [, version] = read(file).split(`'${name}@`)
  if (version === undefined) throw new Error(`${file} pins no version of ${name}`)
  return version.split("'")[0] ?? ''
}

/** The comment in the peer's file that says what it was written from. */
function sourceOf({ source, in: file }: Extract<Peer, { readonly source: string }>): string {
  const comments = [...read(file).matchAll(/\/\*\* (.+?) \*\//g)].map(([, text = '']) => text)
  const [comment, ...others] = comments.filter((text) => text.startsWith(source))
  if (comment === undefined || others.length > 0) {
    throw new Error(`${file} has no single comment that begins with "${source}"`)
  }
  return comment
}

function testsOf({ tests }: Door): string {
  return Object.entries(tests)
    .map(([file, titles]) => `[${file}](../${file}): ${titles.map((one) => `*${one}*`).join(', ')}`)
    .join('<br>')
}

if (import.meta.main) {
  writeFileSync(PAGE, interopPage())
  process.stdout.write('docs/interop.md written\n')
}
