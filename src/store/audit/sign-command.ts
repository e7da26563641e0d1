import { spawn } from 'node:child_process'
import { CountersignError } from '../../base/errors.ts'

/** What a program needs to ask a KMS, with all the time it may take. */
const TIMEOUT_MS = 20_000
const SIGNATURE_BYTES = 64
/** In base64, with a line feed. */
const LONGEST_ANSWER = 128

/**
 * A private key that a program of the operator reaches, such as one in a KMS or an HSM. The program
 * gets the bytes to sign on its standard input, no arguments and no shell. It writes the signature, as
 * 64 bytes or in base64, and ends with 0.
 */
export function signCommand(
  program: string,
  jwk: unknown,
): { readonly jwk: unknown; sign(bytes: Uint8Array): Promise<Uint8Array> } {
  return {
    jwk,
    async sign(bytes) {
      const answer = await answerOf(program, bytes)
      const signature = answer.length === SIGNATURE_BYTES ? answer : fromBase64(answer)
      if (signature?.length === SIGNATURE_BYTES) return signature
      throw failed(program, 'what it wrote is no signature of 64 bytes')
    },
  }
}

function fromBase64(answer: Buffer): Uint8Array | undefined {
  const text = answer.toString('latin1').trim()
  return /^[\w+/-]{86}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
}

function answerOf(program: string, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [], {
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    const said: Buffer[] = []
    let length = 0
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= LONGEST_ANSWER) said.push(chunk)
      else child.kill('SIGKILL')
    })
    // A program that does not read its input has closed it; its end tells.
    child.stdin.on('error', () => {})
    child.stdin.end(bytes)
    child.on('error', (cause) => reject(failed(program, 'it cannot be started', cause)))
    child.on('close', (code, signal) => {
      if (code === 0 && length <= LONGEST_ANSWER) resolve(Buffer.concat(said))
      else reject(failed(program, `it ended with ${signal ?? code}`))
    })
  })
}

function failed(program: string, why: string, cause?: unknown): CountersignError {
  return new CountersignError('key_unusable', `${program} does not sign: ${why}`, {
    hint: 'Run it by hand: it reads the bytes to sign and writes 64 bytes, or their base64.',
    ...(cause === undefined ? {} : { cause }),
  })
}
