import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { identityOf, type UpstreamSpec } from '../upstream/upstream-spec.ts'

/*
 * Which run the calls of one process of `countersign mcp` belong to. Some clients start a process
 * for each call: they hear that a call is pending, and the process that could use the yes never
 * comes. So a process goes on with the run of one that is gone, as long as a question of that run
 * is open or a yes of it unused. Everything else about a yes holds as ever: the approval names the
 * run, the agent, the person, the tool's definition and the arguments, and is claimed once.
 */
export interface HeldRun {
  readonly run: string
  /** Leaves it to the next one. */
  release(): Promise<void>
}

const RUNS = 'mcp runs'
const HELD = 'mcp run held'
const HELD_MS = 60_000
const RENEW_MS = 20_000
const KEPT_MS = 90 * 86_400_000
const MOST_RUNS = 50

type Held = Pick<Store, 'records' | 'list' | 'now'>

/** `owner` says who goes on: see `ownerOf`. */
export async function holdRun(store: Held, owner: string, agent: string): Promise<HeldRun> {
  const { records } = store
  const until = async () => ({ expiresAt: (await store.now()) + HELD_MS })
  /** Of several that try, in any process, one succeeds. */
  const take = async (run: string) =>
    (await records.put(HELD, run, {}, { ...(await until()), expect: 'absent' })) !== undefined

  async function isOpen(run: string): Promise<boolean> {
    const open = { status: ['pending', 'approved'], execution: ['none'] } as const
    return (await store.list({ ...open, agent, run }, { limit: 1 })).approvals.length > 0
  }

  let run: string | undefined
  for (;;) {
    const record = await records.get(RUNS, owner)
    const kept: string[] = []
    for (const one of runsIn(record)) {
      const isHeld = (await records.get(HELD, one)) !== undefined
      if (!isHeld && !(await isOpen(one))) continue
      kept.push(one)
      if (!isHeld && run === undefined && (await take(one))) run = one
    }
    if (run === undefined) {
      run = `mcp-${crypto.randomUUID()}`
      await take(run)
    }
    const runs = [...new Set([...kept, run])].slice(-MOST_RUNS)
    const expiresAt = (await store.now()) + KEPT_MS
    const expect = record?.revision ?? 'absent'
    if (await records.put(RUNS, owner, { runs }, { expect, expiresAt })) break
  }
  const held = run
  const renewing = setInterval(() => {
    // A process that cannot write this cannot ask either.
    void until()
      .then((end) => records.put(HELD, held, {}, end))
      .catch(() => {})
  }, RENEW_MS)
  renewing.unref()
  return {
    run: held,
    async release() {
      clearInterval(renewing)
      await records.remove(HELD, held)
    },
  }
}

/** Differs from start to start and says nothing about what a server does. */
const PASSING = /^(?:_|SHLVL|OLDPWD|COLUMNS|LINES|TERM.*|WINDOWID|.*SESSION_ID|TMUX.*)$/

/**
 * A run goes on only for the same agent and the same person, in front of the same servers in the
 * same folder with the same settings: `.` or another profile would make another call of equal
 * arguments.
 */
export async function ownerOf(
  who: { readonly agent: string; readonly issuer: string; readonly subject: string },
  cwd: string,
  specs: readonly UpstreamSpec[],
): Promise<string> {
  const servers = await Promise.all(
    specs.map(async (spec) => {
      const settings = Object.entries(settingsOf(spec))
        .filter(([name]) => !PASSING.test(name))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => [name.toWellFormed(), value.toWellFormed()])
      return [spec.alias, await identityOf(spec), settings]
    }),
  )
  return digestOf(RUNS, [who.agent, who.issuer, who.subject, cwd, servers])
}

function settingsOf(spec: UpstreamSpec): Readonly<Record<string, string>> {
  if (spec.kind === 'hosted') return {}
  return spec.kind === 'stdio' ? spec.env : spec.headers
}

function runsIn(record: StoredRecord | undefined): string[] {
  const value = record?.value
  const runs = isPlainObject(value) && Array.isArray(value.runs) ? value.runs : []
  return runs.filter((run): run is string => typeof run === 'string')
}
