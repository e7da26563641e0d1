/** Names that decide about an agent wherever they lie, whatever the policy in force is called. */
const POLICY = /^(?:countersign\.ya?ml|counte~\d\.(?:yam|yml))$/
const STATE = /^(?:\.countersign|counte~\d)$/
const INSTALLED_IN = new Set(['node_modules', '.bin'])

/** Where coding agents are told to run hooks: an agent that can write there decides about itself. */
function holdsHooks(part: string, parent: string, above: string): boolean {
  switch (parent) {
    case '.claude':
    case '.gemini':
      return SETTINGS.test(part) || TRUST.test(part)
    case '.codex':
      return part === 'hooks.json' || part === 'config.toml'
    case '.cursor':
      return part === 'hooks.json'
    case 'hooks':
      return (above === '.github' || above === '.copilot') && part.endsWith('.json')
    case 'copilot':
      return above === '.github' && SETTINGS.test(part)
    case '.copilot':
      return SETTINGS.test(part) || part === 'config.json'
    case '.opencode':
    case 'opencode':
      return part === 'plugin' || part === 'plugins' || OPENCODE.test(part)
    default:
      return OPENCODE.test(part)
  }
}

const SETTINGS = /^settings(?:\.[^.]+)*\.json$/
const TRUST = /^trusted.*\.json$/
const OPENCODE = /^opencode\.jsonc?$/

/** Whether a path names a policy, a state folder, the package, or settings that hold hooks. */
export function isOwnName(place: string): boolean {
  const parts = place.split(/[\\/]+/).map(folded)
  return parts.some((part, at) => {
    const parent = parts[at - 1] ?? ''
    return (
      POLICY.test(part) ||
      STATE.test(part) ||
      (part === 'countersign' && INSTALLED_IN.has(parent)) ||
      holdsHooks(part, parent, parts[at - 2] ?? '')
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
