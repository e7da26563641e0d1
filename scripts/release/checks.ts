/** The version of the topmost heading of a changelog: `## 1.2.3` or `## 1.2.3 – 2026-11-18`. */
export function newestVersion(changelog: string): string | undefined {
  const [, heading = ''] = /^## (.+)$/m.exec(changelog) ?? []
  return /^v?(\d+\.\d+\.\d+\S*)/.exec(heading)?.[1]
}

export interface Checkout {
  readonly branch: string
  /** What `git status --porcelain` says. */
  readonly status: string
  readonly version: string
  readonly changelog: string
  readonly chart: string
}

/** Why this checkout is not one to release; empty where it is. */
export function unready({ branch, status, version, changelog, chart }: Checkout): string[] {
  const changed = status.split('\n').filter((line) => line !== '').length
  const newest = newestVersion(changelog)
  const reasons = [
    branch !== 'main' && `the branch is ${branch || 'none'}, not main`,
    changed > 0 && `${changed} files are not committed`,
    newest !== version &&
      `CHANGELOG.md begins with ${newest ?? 'no version'}, and package.json has ${version}`,
    !new RegExp(`^version: ${version}$`, 'm').test(chart) && 'Chart.yaml has another version',
  ]
  return reasons.filter((reason) => reason !== false)
}

export type Audited =
  | { readonly result: 'not checked'; readonly why: string }
  | { readonly result: 'checked'; readonly high: number; readonly lower: number }

/** Reads what `npm audit --json` printed. Anything but a whole report counts as not checked. */
export function auditResult(printed: string): Audited {
  const report = parsed(printed)
  const counts = report?.metadata?.vulnerabilities
  if (!counts || report.error) {
    const said = report?.error?.summary || report?.message || 'the registry gave no report'
    return { result: 'not checked', why: said.split('\n')[0] ?? '' }
  }
  const { critical = 0, high = 0, moderate = 0, low = 0, info = 0 } = counts
  return { result: 'checked', high: critical + high, lower: moderate + low + info }
}

interface Report {
  readonly message?: string
  readonly error?: { readonly summary?: string }
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> }
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report
  } catch {
    return undefined
  }
}

/** 0: nothing high. 1: something is. 2: it has to be known, and is not. */
export function auditExitCode(audited: Audited, { isRelease }: { readonly isRelease: boolean }) {
  if (audited.result === 'checked') return audited.high > 0 ? 1 : 0
  return isRelease ? 2 : 0
}
