import { maskText } from '../../base/secrets/mask.ts'
import type { Judged } from '../../gate/listeners.ts'
import type { Store } from '../../store/store.ts'

/** How often the policy let calls through and denied them, on record every minute that had any. */
export interface VerdictCounts {
  count(judged: Judged): void
  /** Writes down what was counted, and counts no more. */
  close(): Promise<void>
}

const EVERY_MS = 60_000
/** Names come from agents and models: what is more is counted without them. */
const MOST_LINES = 200
const MOST_CHARACTERS = 128

interface Line {
  readonly judged: Judged
  count: number
}

/**
 * One entry for a minute of calls: none is written for a single call, and none where there were no
 * calls. What a killed process counted since its last entry is lost.
 */
export function createVerdictCounts(
  store: Pick<Store, 'amend'>,
  everyMs = EVERY_MS,
): VerdictCounts {
  let lines = new Map<string, Line>()
  /** One of these lines. */
  let last: Line | undefined
  let others = { allow: 0, deny: 0 }
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing = Promise.resolve()
  let isClosed = false

  function count(judged: Judged, by = 1): void {
    const { verdict, agent, server, tool, rule } = judged
    // Most programs call one tool again and again.
    if (last && isLike(last.judged, judged)) {
      last.count += by
      return
    }
    // Names hold any character: their lengths keep two of them from reading like one.
    const lengths = `${agent?.length} ${server?.length} ${tool.length} ${rule?.length}`
    const key = `${verdict} ${lengths} ${agent}${server}${tool}${rule}`
    const line = lines.get(key)
    last = line
    if (line) line.count += by
    else if (lines.size < MOST_LINES) {
      lines.set(key, { judged: { verdict, agent, server, tool, rule }, count: by })
    } else others[verdict] += by
    if (timer === undefined && !isClosed) {
      timer = setTimeout(flush, everyMs)
      // Node waits for a timer; elsewhere it is a number.
      if (typeof timer === 'object') timer.unref()
    }
  }

  async function write(): Promise<void> {
    if (lines.size === 0) return
    const [written, more] = [lines, others]
    lines = new Map()
    last = undefined
    others = { allow: 0, deny: 0 }
    const sum = (verdict: Judged['verdict']) =>
      [...written.values()].reduce(
        (total, one) => total + (one.judged.verdict === verdict ? one.count : 0),
        more[verdict],
      )
    const facts = {
      allowed: sum('allow'),
      denied: sum('deny'),
      lines: [...written.values()].map(lineText),
      ...(more.allow + more.deny > 0 ? { unnamed: more.allow + more.deny } : {}),
    }
    const event = { type: 'calls.counted', by: { system: 'gate' }, facts } as const
    try {
      await store.amend({ commandId: crypto.randomUUID(), event, changes: [] })
    } catch {
      // The database is away: they are written with the next ones.
      for (const { judged, count: n } of written.values()) count(judged, n)
      others = { allow: others.allow + more.allow, deny: others.deny + more.deny }
    }
  }

  function flush(): void {
    timer = undefined
    writing = writing.then(write)
  }

  return {
    count,
    async close() {
      isClosed = true
      clearTimeout(timer)
      flush()
      await writing
    },
  }
}

function isLike(one: Judged, two: Judged): boolean {
  return (
    one.tool === two.tool &&
    one.agent === two.agent &&
    one.verdict === two.verdict &&
    one.rule === two.rule &&
    one.server === two.server
  )
}

/** JSON, because names hold any character. */
function lineText({ judged, count }: Line): string {
  const { verdict, agent, server, tool, rule } = judged
  const named = Object.entries({ verdict, agent, server, tool, rule })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, shown(String(value))])
  return JSON.stringify({ ...Object.fromEntries(named), count })
}

/** Masked first: half of a secret no longer looks like one. */
function shown(name: string): string {
  return maskText(name).slice(0, MOST_CHARACTERS).toWellFormed()
}
