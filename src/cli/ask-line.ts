import { createInterface } from 'node:readline/promises'
import type { Shell } from './shell.ts'

/** One line that a person types. Empty when the input ends. */
export async function askLine({ stdin, out }: Shell, text: string): Promise<string> {
  const reader = createInterface({ input: stdin })
  try {
    await out.write(text)
    for await (const line of reader) return line
    return ''
  } finally {
    reader.close()
  }
}
