import { CountersignError } from '../base/errors.ts'
import type { Source } from '../policy/load/load.ts'
import { parsePolicy } from '../policy/load/parse-policy.ts'
import type { Policy } from '../policy/policy.ts'

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
  const files = fileSystem()
  if (!files) {
    throw new CountersignError('policy_unreadable', `${file} cannot be read in this runtime`, {
      hint: 'Bundle the text and pass it to parsePolicy, or use definePolicy.',
    })
  }
  try {
    return { file, text: await files.readFile(file) }
  } catch (cause) {
    throw new CountersignError('policy_unreadable', `${file} cannot be read`, {
      hint: 'Correct the path, or write a starter file with `npx countersign init`.',
      cause,
    })
  }
}

interface FileSystem {
  readFile(path: string): Promise<Uint8Array>
}

/** Not imported: the package also loads in runtimes, and in bundles for them, that have none. */
function fileSystem(): FileSystem | undefined {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): FileSystem | undefined }
  }
  return process?.getBuiltinModule?.('node:fs/promises')
}
