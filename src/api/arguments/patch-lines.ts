/** What each line of a patch does, and where in the file it does it. */
export interface PatchLine {
  readonly kind: 'same' | 'removed' | 'added' | 'hunk'
  /** The line of the file before and after, as the patch itself says. */
  readonly before?: number
  readonly after?: number
}

const HUNK = /^@@ -(?<old>\d+)(?:,(?<gone>\d+))? \+(?<new>\d+)(?:,(?<come>\d+))? @@/

/** No file has more lines; a number that is no longer exact would count on and stand still. */
const LAST_LINE = 999_999_999

export function looksLikePatch(text: string): boolean {
  return /^--- .*\n\+\+\+ .*\n@@ -\d/m.test(text)
}

/** Only lines that a hunk counts are taken at their sign, and only they have numbers. */
export function patchLines(text: string): readonly PatchLine[] {
  let [gone, come, old, next] = [0, 0, 0, 0]
  const at = (): Pick<PatchLine, 'before' | 'after'> =>
    Math.max(old, next) > LAST_LINE ? {} : { before: old, after: next }
  return text.split('\n').map((line): PatchLine => {
    const hunk = gone + come === 0 ? HUNK.exec(line)?.groups : undefined
    if (hunk !== undefined) {
      gone = Number(hunk.gone ?? 1)
      come = Number(hunk.come ?? 1)
      old = Number(hunk.old)
      next = Number(hunk.new)
      return { kind: 'hunk' }
    }
    if (line.startsWith('-') && gone > 0) {
      const { before } = at()
      gone -= 1
      old += 1
      return { kind: 'removed', ...(before === undefined ? {} : { before }) }
    }
    if (line.startsWith('+') && come > 0) {
      const { after } = at()
      come -= 1
      next += 1
      return { kind: 'added', ...(after === undefined ? {} : { after }) }
    }
    if (gone > 0 && come > 0 && !line.startsWith('\\')) {
      const numbers = at()
      gone -= 1
      come -= 1
      old += 1
      next += 1
      return { kind: 'same', ...numbers }
    }
    return { kind: 'same' }
  })
}
