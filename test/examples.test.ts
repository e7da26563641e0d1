import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const folder = path.resolve(import.meta.dirname, '../examples')

test.each(readdirSync(folder))('examples/%s runs and says what it did', async (name) => {
  expect((await run(name)).trim()).not.toBe('')
})

/** Without any key of the machine: an example must not reach out because somebody has one. */
async function run(name: string, keys: Readonly<Record<string, string>> = {}): Promise<string> {
  const { OPENAI_API_KEY: _, AI_GATEWAY_API_KEY: __, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=countersign-source', path.join(folder, name, 'main.ts')],
    { cwd: path.dirname(folder), env: { ...env, ...keys } },
  )
  return stdout
}

test('an example with a key speaks to the model it is told to, in the words of its API', async () => {
  const asked: { readonly path: string; readonly body: Completion }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    asked.push({ path: request.url ?? '', body: JSON.parse(text) as Completion })
    const turn = asked.length
    const call = (name: string, args: object) => ({
      id: `c${turn}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })
    const said = { role: 'assistant', content: null }
    const turns = [
      { ...said, tool_calls: [call('find_address', { name: 'Lena' })] },
      { ...said, tool_calls: [call('send_mail', { to: 'lena@example.com', text: 'Paid.' })] },
      { ...said, content: 'Done.' },
    ]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: turns[turn - 1] }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const stdout = await run('tools', {
    OPENAI_API_KEY: 'a-key',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
  })
  expect(stdout).toContain('The model says: Done.')
  expect(asked.map(({ path }) => path)).toEqual(Array(3).fill('/v1/chat/completions'))
  expect(asked[0]?.body.tools.map((tool) => tool.function.name)).toEqual([
    'find_address',
    'send_mail',
  ])
  expect(asked[2]?.body.messages.at(-1)).toEqual({
    role: 'tool',
    tool_call_id: 'c2',
    content: 'sent',
  })
})

interface Completion {
  readonly messages: readonly object[]
  readonly tools: readonly { readonly function: { readonly name: string } }[]
}
