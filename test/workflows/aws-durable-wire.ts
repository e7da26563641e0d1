/** One process calls another one by name, with JSON. */
import { createServer, type Server } from 'node:http'

export type Methods = Readonly<Record<string, (request: never) => unknown>>

/** Times are times again, as Lambda's own client reads them. */
function read(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    key.endsWith('Timestamp') && typeof value === 'string' ? new Date(value) : value,
  )
}

export async function serveMethods(methods: Methods, port = 0): Promise<Server> {
  const server = createServer(async (request, response) => {
    try {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const method = methods[(request.url ?? '').slice(1)]
      if (!method) throw new Error(`there is no ${request.url}`)
      response.end(JSON.stringify((await method(read(text) as never)) ?? null))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

export async function callMethod<T>(url: string, name: string, request: unknown): Promise<T> {
  const answer = await fetch(`${url}/${name}`, { method: 'POST', body: JSON.stringify(request) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return read(text) as T
}
