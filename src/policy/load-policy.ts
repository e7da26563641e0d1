import { CountersignError } from '../base/errors.ts'
import type { Source } from './load.ts'
import { parsePolicy } from './parse-policy.ts'
import type { Policy } from './policy.ts'

/**
 * Reads policy files: the owner's `countersign.yaml` or Agent Format file, then governance files,
 * which can only tighten. Throws `policy_unreadable` for a file that cannot be read, and one
 * `policy_invalid` with the mistakes of all files, each with line and column.
 */
export async function loadPolicy(files: string | readonly [string, ...string[]]): Promise<Policy> {
  const [owner, ...governance] = await Promise.all([files].flat().map(readSource))
  if (!owner) {
    throw new CountersignError('usage', 'loadPolicy was given no file', {
      hint: "Pass loadPolicy('countersign.yaml'), or write one with `npx countersign init`.",
    })
  }
  return parsePolicy({ owner, governance })
}

async function readSource(file: unknown): Promise<Source> {
  if (typeof file !== 'string' || file === '') {
    throw new CountersignError('usage', 'a policy file is named by its path', {
      hint: "Pass loadPolicy('countersign.yaml').",
    })
  }
  // Imported late: the package also loads in runtimes that have no file system.
  const { readFile } = await import('node:fs/promises')
  try {
    return { file, text: await readFile(file) }
  } catch (cause) {
    throw new CountersignError('policy_unreadable', `${file} cannot be read`, {
      hint: 'Correct the path, or write a starter file with `npx countersign init`.',
      cause,
    })
  }
}
