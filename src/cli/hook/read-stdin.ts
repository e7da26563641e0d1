import type { CodingAgent } from '../../adapters/coding-agents/agent.ts'
import { usage } from '../failure.ts'

const MOST_INPUT = 32 * 1_048_576

export async function readStdin(
  stream: NodeJS.ReadableStream,
  { name, title }: Pick<CodingAgent, 'name' | 'title'>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MOST_INPUT) throw usage('stdin is too large', `${title} sends one call at a time.`)
    chunks.push(bytes)
  }
  if (size === 0) {
    throw usage(
      `stdin is empty; ${title} runs this command and sends it a call`,
      `\`countersign init ${name}\` writes the settings that make it do so.`,
    )
  }
  return Buffer.concat(chunks)
}
