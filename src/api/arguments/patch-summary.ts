import { looksLikePatch, patchLines } from './patch-lines.ts'

export interface PatchSummary {
  /** As the patch names them, without `a/` and `b/`. */
  readonly files: readonly string[]
  readonly added: number
  readonly removed: number
}

/** Lines between the parts of a patch that change nothing by themselves. */
const BETWEEN = /^(?:--- |\+\+\+ |diff --git |index |$)/

/**
 * Which files a patch changes and by how many lines. Of one that also does what its lines do not
 * show, a rename or a new mode, there is none: a short form must not hide it.
 */
export function patchSummary(text: string): PatchSummary | undefined {
  if (!looksLikePatch(text)) return undefined
  const lines = text.split('\n')
  const kinds = patchLines(text).map(({ kind }) => kind)
  const files: string[] = []
  let [added, removed, isIn] = [0, 0, false]
  for (const [at, line] of lines.entries()) {
    const kind = kinds[at]
    if (kind === 'hunk') isIn = true
    else if (kind === 'added') added += 1
    else if (kind === 'removed') removed += 1
    else if (line.startsWith('--- ') && kinds[at + 2] === 'hunk') {
      files.push(fileOf(line, lines[at + 1] ?? ''))
      isIn = false
    } else if (!BETWEEN.test(line) && !(isIn && /^[ \\]/.test(line))) return undefined
  }
  return files.length === 0 ? undefined : { files, added, removed }
}

/** Of the beginning of a patch: the first file that it changes. */
export function firstFile(text: string): string | undefined {
  const [, old, next] = /^(--- .*)\n(\+\+\+ .*)\n@@ -\d/.exec(text) ?? []
  return old === undefined || next === undefined ? undefined : fileOf(old, next)
}

/** The new name; of a file that goes, the old one. */
function fileOf(old: string, next: string): string {
  const [before, after] = [old, next].map((line) => line.slice(4).replace(/\t.*$/, ''))
  const name = after === '/dev/null' ? before : after
  return (name ?? '').replace(/^[ab]\//, '')
}
