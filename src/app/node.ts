import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { CountersignError } from '../base/errors.ts'
import { parsePolicy } from '../policy/load/parse-policy.ts'
import type { OpenAuditLog } from '../server/audit-check.ts'
import type { DocsFiles } from '../server/http/docs-files.ts'
import type { InboxFiles } from '../server/http/inbox-files.ts'
import { readDocs } from '../server/http/read-docs.ts'
import { findInbox } from '../server/http/read-inbox.ts'
import type { FileState } from '../server/policy/status.ts'
import { replaceFile } from './replace-file.ts'
import type { PolicyFiles } from './served-policy.ts'

export { type Fetcher, type Serving, serve } from '../server/serve.ts'
export { keyFolder } from '../store/audit/key-folder.ts'
export { signCommand } from '../store/audit/sign-command.ts'
export {
  type McpGateway,
  type McpGatewayOptions,
  type McpOAuthOptions,
  mcpGateway,
} from './mcp-gateway.ts'

export { type ToolStudio, type ToolStudioOptions, toolStudio } from './studio.ts'

/** The web inbox that comes with this package. */
export function inboxFiles(): InboxFiles {
  const found = findInbox()
  if (found) return found
  throw new CountersignError('usage', 'the inbox was not built', {
    hint: 'The published package holds it. In a checkout, `npm start` builds it.',
  })
}

/** The documentation as `npm run site` of a checkout built it. */
export function docsFiles(folder: string): DocsFiles {
  return readDocs(path.resolve(folder))
}

/**
 * The owner's policy file, then governance files, which can only tighten. Unlike `loadPolicy`, they
 * are read again when an admin looks at what changed in them, and applies it.
 */
export function policyFiles(files: string | readonly [string, ...string[]]): PolicyFiles {
  const [owner, ...governance] = [files].flat().map((file) => path.resolve(file))
  if (owner === undefined) {
    throw new CountersignError('usage', 'policyFiles was given no file', {
      hint: "Pass policyFiles('countersign.yaml').",
    })
  }
  return {
    read: () => parsePolicy({ owner: source(owner), governance: governance.map(source) }),
    states: (texts) =>
      texts.map(({ file, role, text }) => ({ file, role, state: stateOf(file, text) })),
    replaceOwner: (before, text) => replaceFile(owner, before?.text, text),
  }
}

function source(file: string) {
  try {
    return { file, text: readFileSync(file) }
  } catch (cause) {
    throw new CountersignError('policy_unreadable', `${file} cannot be read`, {
      hint: 'Correct the path, or write a starter file with `npx countersign init`.',
      cause,
    })
  }
}

function stateOf(file: string, text: string): FileState {
  if (!existsSync(file)) return 'removed'
  try {
    return readFileSync(file, 'utf8') === text ? 'active' : 'changed'
  } catch {
    return 'changed'
  }
}

/** Everything recorded in the database of `sqliteStore(path)`. */
export function sqliteAudit(file: string): OpenAuditLog {
  return async (options) => {
    const { openAuditLog } = await import('../store/sqlite/audit-log.ts')
    return openAuditLog(file, options)
  }
}

/** Everything recorded in the database of `postgresStore(url)`. */
export function postgresAudit(url: string): OpenAuditLog {
  return async (options) => {
    const { openAuditLog } = await import('../store/postgres/audit-log.ts')
    return openAuditLog(url, options)
  }
}
