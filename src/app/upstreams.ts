import { maskText } from '../base/secrets/mask.ts'
import { createUses } from '../gateway/upstream/last-used.ts'
import type { SignIns } from '../gateway/upstream/oauth/sign-ins.ts'
import { isPinOf, type Pin } from '../gateway/upstream/pins.ts'
import { type Looked, lookAt } from '../gateway/upstream/probe-upstream.ts'
import { assessRisk } from '../gateway/upstream/risk.ts'
import type { UpstreamSpec } from '../gateway/upstream/upstream-spec.ts'
import { declaredRisk } from '../policy/evaluate/declared.ts'
import type { Policy } from '../policy/policy.ts'
import type { UpstreamServer, Upstreams, UpstreamTool } from '../server/upstreams.ts'
import type { Store } from '../store/store.ts'
import { pinsFor, type Specs } from './mcp-routes.ts'
import { packageVersion } from './version.ts'

export interface UpstreamOptions {
  readonly store: Store
  readonly policy: () => Promise<Policy>
  readonly specs: Specs
  readonly signIns: Pick<SignIns, 'state'>
  readonly takesCommands?: boolean
}

interface Seen {
  readonly at: number
  readonly looked: Pick<Looked, 'problem' | 'name' | 'version' | 'notes' | 'asksForSignIn'>
  /** Names of what it listed; absent where it could not be reached. */
  readonly listed?: ReadonlySet<string>
}

/** The servers of the gateway, for the page about them. */
export function createUpstreams(options: UpstreamOptions): Upstreams {
  const { store, policy, specs, signIns, takesCommands = false } = options
  const pins = pinsFor(store, policy)
  const uses = createUses(store.records)
  const seen = new Map<string, Seen>()
  let looking: Promise<void> | undefined

  /** Each with what can be said of it; a problem where it cannot even be tried. */
  async function known() {
    const problems = new Map<string, string>()
    const now = await policy()
    const found = specs(now, (line, alias) => problems.set(alias, line))
    return { now, found, problems }
  }

  async function lookOnce(): Promise<void> {
    const { found, problems } = await known()
    const at = await store.now()
    for (const [alias, problem] of problems) seen.set(alias, { at, looked: { problem, notes: [] } })
    await Promise.all(
      found.map(async (spec) => {
        const { tools, ...looked } = await lookAt(spec, pins, packageVersion())
        const listed = new Set(tools.map(({ tool }) => tool))
        const isThere = looked.problem === undefined && looked.notes.length === 0
        seen.set(spec.alias, { at, looked, ...(isThere ? { listed } : {}) })
      }),
    )
  }

  /** Absent where its file names the credentials, or it was never asked for any. */
  async function signInOf(spec: UpstreamSpec): Promise<Pick<UpstreamServer, 'signIn'>> {
    if (spec.kind !== 'http' || !spec.credentials) return {}
    const state = await signIns.state(spec)
    const isAsked = seen.get(spec.alias)?.looked.asksForSignIn === true
    if (!state) return isAsked ? { signIn: { isNeeded: true } } : {}
    return { signIn: { isNeeded: isAsked || state.lost !== undefined, state } }
  }

  return {
    takesCommands,
    async servers() {
      const { now, found } = await known()
      // What this program hosts is among the rules as soon as there is a tool of it.
      const reached = found.filter(({ kind }) => kind !== 'hosted').map(({ alias }) => alias)
      const aliases = new Set([...now.owner.servers.keys(), ...reached])
      const all = [...aliases].map(async (alias): Promise<UpstreamServer> => {
        const spec = found.find((one) => one.alias === alias)
        const how = reachedBy(now, alias, spec)
        const last = seen.get(alias)
        const { asksForSignIn: _, ...looked } = last?.looked ?? { notes: [] }
        return {
          alias,
          ...(how === undefined ? {} : { reached: how }),
          ...(spec?.kind === 'hosted' ? { hosted: true as const } : {}),
          ...(last ? { seen: { at: last.at, ...looked } } : {}),
          ...(spec ? await signInOf(spec) : {}),
        }
      })
      return Promise.all(all)
    },
    async tools() {
      const { now, found } = await known()
      const [all, used] = await Promise.all([pins.list(), uses.list()])
      const current = await Promise.all(all.map((pin) => isCurrent(pin, found)))
      return all
        .filter((_, at) => current[at])
        .map((pin): UpstreamTool => {
          const { server, tool } = pin
          const usedAt = used.get(`${server}/${tool}`)
          const listed = seen.get(server)?.listed
          const said = declaredRisk(now, { server, tool, args: {} })
          // What it says now counts as well: a change is looked at before it is accepted.
          const definition = pin.changed?.definition ?? pin.definition
          return {
            ...pin,
            risk: assessRisk(tool, definition, said),
            isGone: listed !== undefined && !listed.has(tool),
            ...(usedAt === undefined ? {} : { usedAt }),
          }
        })
    },
    look() {
      looking ??= lookOnce().finally(() => {
        looking = undefined
      })
      return looking
    },
  }
}

/** A server that is reached otherwise than before is another one; what it offered is history. */
function isCurrent(pin: Pin, specs: readonly UpstreamSpec[]): boolean | Promise<boolean> {
  const spec = specs.find(({ alias }) => alias === pin.server)
  return spec === undefined || isPinOf(pin, spec)
}

/** As the operator wrote it, before variables were filled in; without what looks like a secret. */
function reachedBy(
  { owner }: Policy,
  alias: string,
  spec: UpstreamSpec | undefined,
): string | undefined {
  const { command, args = [], url } = owner.servers.get(alias)?.connection ?? {}
  if (command !== undefined) return maskText([command, ...args].join(' '))
  if (url !== undefined) return maskText(url.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//'))
  if (spec?.kind === 'hosted') return 'written in the studio'
  if (spec?.kind === 'stdio') return maskText([spec.command, ...spec.args].join(' '), spec.secrets)
  return undefined
}
