import { quantile, type Reading, rate } from './samples.ts'

export interface TopState {
  readonly url: string
  readonly now?: Reading
  readonly before?: Reading
  /** Why there is no newer reading, where that is so. */
  readonly problem?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface TopLine {
  readonly text: string
  readonly look: 'plain' | 'bold' | 'dim' | 'warn' | 'bad'
}

const DECISIONS = 'countersign_time_to_decision_seconds'
const EVENTS = 'countersign_approval_events_total'
const REQUESTS = 'countersign_http_requests_total'

/** One screen, at most as wide and as high as the terminal: what matters most comes first. */
export function topLines(state: TopState, columns: number, rows: number): TopLine[] {
  const { url, now, problem } = state
  const age = now ? ` · read ${seconds((state.at - now.at) / 1_000)} ago` : ''
  const lines: TopLine[] = [{ text: `countersign top · ${url}${age}`, look: 'bold' }]
  if (problem !== undefined) lines.push({ text: problem, look: 'bad' })
  if (now) lines.push(...sections(now, state.before, columns))
  const shown = lines.slice(0, Math.max(1, rows - 1))
  shown.push({ text: 'q quits', look: 'dim' })
  return shown.slice(0, rows).map(({ text, look }) => ({ text: text.slice(0, columns), look }))
}

function sections(now: Reading, before: Reading | undefined, columns: number): TopLine[] {
  return [
    ...waiting(now, columns),
    heading('Decisions'),
    ...decisions(now, before),
    heading('Delivery'),
    ...delivery(now),
    heading('This server'),
    ...process(now, before),
  ]
}

function waiting(now: Reading, columns: number): TopLine[] {
  const count = now.sum('countersign_pending_approvals') ?? 0
  const oldest = now.sum('countersign_oldest_pending_seconds') ?? 0
  const risks = now.of('countersign_pending_by_risk').filter(({ value }) => value > 0)
  const most = Math.max(1, ...risks.map(({ value }) => value))
  const width = Math.max(4, Math.min(40, columns - 30))
  const title = `Waiting for people: ${count}${count > 0 ? `, the oldest for ${seconds(oldest)}` : ''}`
  return [
    { text: '', look: 'plain' },
    { text: title, look: count > 0 ? 'warn' : 'bold' },
    ...risks.map(({ labels, value }): TopLine => {
      const bar = '#'.repeat(Math.max(1, Math.round((value / most) * width)))
      return {
        text: `  ${(labels.risk ?? '').padEnd(8)} ${number(value).padStart(6)}  ${bar}`,
        look: 'plain',
      }
    }),
  ]
}

function decisions(now: Reading, before: Reading | undefined): TopLine[] {
  const perMinute = (type: string) => {
    const found = rate(before, now, EVENTS, { type })
    return found === undefined ? '–' : number(found * 60)
  }
  const types = ['requested', 'approved', 'denied', 'expired', 'claimed', 'lost']
  const half = (outcome?: string) => {
    const labels: Record<string, string> = outcome === undefined ? {} : { outcome }
    const found = [0.5, 0.95].map((share) => quantile(now, DECISIONS, share, labels))
    return found.map((one) => (one === undefined ? '–' : seconds(one))).join(' / ')
  }
  const judged = (verdict: string) =>
    rate(before, now, 'countersign_calls_judged_total', { verdict })
  return [
    row('a minute', types.map((type) => `${type} ${perMinute(type)}`).join('  ')),
    row('p50 / p95', `approved ${half('approved')}  denied ${half('denied')}`),
    row('judged', `allowed ${each(judged('allow'))}  denied ${each(judged('deny'))}`),
  ]
}

function delivery(now: Reading): TopLine[] {
  const lag = now.sum('countersign_outbox_lag_seconds') ?? 0
  const stuck = now.sum('countersign_notices_stuck') ?? 0
  const late = now.sum('countersign_sweeper_lag_seconds') ?? 0
  const waitingNow = number(now.sum('countersign_notices_waiting') ?? 0)
  return [
    row(
      'outbox',
      `lag ${seconds(lag)}  waiting ${waitingNow}  stuck ${number(stuck)}`,
      stuck > 0 || lag > 60,
    ),
    row('sweeper', `lag ${seconds(late)}`, late > 60),
  ]
}

function process(now: Reading, before: Reading | undefined): TopLine[] {
  const loop = (q: string) => now.sum('countersign_event_loop_delay_seconds', { quantile: q })
  const errors = now
    .of(REQUESTS)
    .filter(({ labels }) => labels.status?.startsWith('5'))
    .reduce((sum, { labels }) => sum + (rate(before, now, REQUESTS, labels) ?? 0), 0)
  const cpu = rate(before, now, 'process_cpu_seconds_total')
  const memory = (now.sum('process_resident_memory_bytes') ?? 0) / 1_048_576
  const skew = now.sum('countersign_clock_skew_seconds') ?? 0
  const pool = now
    .of('countersign_postgres_connections')
    .map(({ labels, value }) => `${labels.state} ${number(value)}`)
  const [{ labels: info } = { labels: {} as Record<string, string> }] = now.of('countersign_info')
  return [
    row(
      'requests',
      `${each(rate(before, now, REQUESTS))}  5xx ${number(errors * 60)} a minute`,
      errors > 0,
    ),
    row(
      'event loop',
      `p50 ${ms(loop('0.5'))}  p99 ${ms(loop('0.99'))}  max ${ms(loop('1'))}`,
      (loop('0.99') ?? 0) > 0.2,
    ),
    row(
      'process',
      `${cpu === undefined ? '–' : `${number(cpu * 100)} %`} of a core  ${number(memory)} MB  version ${info.version ?? '?'}  up ${seconds(now.sum('countersign_uptime_seconds') ?? 0)}`,
    ),
    row(
      'database',
      `${pool.length > 0 ? `connections ${pool.join(', ')}  ` : ''}clock ${skew >= 0 ? '+' : ''}${skew.toFixed(1)}s`,
      Math.abs(skew) > 5,
    ),
    ...((now.sum('countersign_observing') ?? 0) > 0
      ? [row('mode', 'observing: rules are recorded and not enforced', true)]
      : []),
  ]
}

function heading(text: string): TopLine {
  return { text, look: 'bold' }
}

function row(name: string, text: string, isBad = false): TopLine {
  return { text: `  ${name.padEnd(11)}${text}`, look: isBad ? 'warn' : 'plain' }
}

function each(perSecond: number | undefined): string {
  return perSecond === undefined ? '–' : `${number(perSecond)}/s`
}

function ms(value: number | undefined): string {
  return value === undefined ? '–' : `${number(value * 1_000)} ms`
}

function number(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1)
}

function seconds(value: number): string {
  if (value < 1) return `${Math.round(value * 1_000)}ms`
  if (value < 120) return `${number(value)}s`
  if (value < 7_200) return `${Math.round(value / 60)}m`
  return value < 172_800 ? `${Math.round(value / 3_600)}h` : `${Math.round(value / 86_400)}d`
}
