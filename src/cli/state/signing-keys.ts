import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { ExternalKey } from '../../gate/proof/keys.ts'
import { keyFolder } from '../../store/audit/key-folder.ts'
import type { KeyFolder } from '../../store/vault.ts'
import { usage } from '../failure.ts'
import { why } from '../files.ts'
import type { Shell } from '../shell.ts'

export interface SigningKeys {
  /** Private keys of this machine. They seal secrets, also where another key signs. */
  readonly keys: KeyFolder
  /** What signs in place of them, where it is set. */
  readonly signingKey?: ExternalKey
}

/** The folder of keys beside the database, and the command that signs in place of them. */
export async function signingKeys(
  { folder }: { readonly folder: string },
  { env, cwd }: Pick<Shell, 'env' | 'cwd'>,
): Promise<SigningKeys> {
  const keys = keyFolder(path.join(folder, 'keys'))
  const { COUNTERSIGN_SIGN_COMMAND: program = '', COUNTERSIGN_SIGN_KEY: file = '' } = env
  if (program === '' && file === '') return { keys }
  if (program === '' || file === '') {
    throw usage(
      'a key that signs elsewhere needs COUNTERSIGN_SIGN_COMMAND and COUNTERSIGN_SIGN_KEY',
      'Set both: the program that signs, and a file with the public key as a JSON Web Key.',
    )
  }
  const { signCommand } = await import('../../store/audit/sign-command.ts')
  return { keys, signingKey: signCommand(path.resolve(cwd, program), readJwk(file, cwd)) }
}

function readJwk(file: string, cwd: string): unknown {
  try {
    return JSON.parse(readFileSync(path.resolve(cwd, file), 'utf8'))
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'it is not JSON' : why(error)
    throw usage(
      `COUNTERSIGN_SIGN_KEY: ${file} cannot be read: ${problem}`,
      'Name a file with the public key: { "kty": "OKP", "crv": "Ed25519", "x": "…" }.',
    )
  }
}
