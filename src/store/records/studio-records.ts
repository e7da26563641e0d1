/** What is published, by the name of the tool: which version, and that there is one. */
export const STUDIO_TOOL_RECORD = 'studio-tool'
/** Every version that was ever published, as `name/1`. Never changed. */
export const STUDIO_VERSION_RECORD = 'studio-version'
/** Values of secrets, sealed with a key that is not in the database: `name/SECRET`. */
export const STUDIO_SECRET_RECORD = 'studio-secret'
/** What authors work on. Nothing runs from it except for them. */
export const STUDIO_DRAFT_RECORD = 'studio-draft'

/** What one tool keeps between calls. A kind for each tool: no key of one is a key of another. */
export function studioKeysRecord(tool: string): string {
  return `studio-kv ${tool}`
}
