/** Names that decide about an agent wherever they lie, whatever the policy in force is called. */
const POLICY = /^(?:countersign\.ya?ml|counte~\d\.(?:yam|yml))$/
const STATE = /^(?:\.countersign|counte~\d)$/
const SETTINGS = /^settings(?:\.[^.]+)*\.json$/
const INSTALLED_IN = new Set(['node_modules', '.bin'])

/** Whether a path names a policy, a state folder, the package, or settings that hold hooks. */
export function isOwnName(place: string): boolean {
  const parts = place.split(/[\\/]+/).map(folded)
  return parts.some((part, at) => {
    const parent = parts[at - 1] ?? ''
    return (
      POLICY.test(part) ||
      STATE.test(part) ||
      (part === 'countersign' && INSTALLED_IN.has(parent)) ||
      (parent === '.claude' && SETTINGS.test(part))
    )
  })
}

/**
 * One spelling for all that a file system may take for the same name: case, compatibility forms and
 * characters without a glyph (APFS, HFS+), a dot or space at the end and streams (NTFS).
 */
function folded(part: string): string {
  return foldedText(part)
    .replace(/(?<=.):.*$/s, '')
    .replace(/(?<=[^. ])[. ]+$/, '')
    .trim()
}

export function foldedText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
}
