import type { Context } from 'hono'

export interface DownloadedFile {
  readonly name: string
  readonly type: string
}

/**
 * A file that is made while it is sent. Where that fails, the connection breaks off: half a file
 * must not look like a whole one.
 */
export function download(
  c: Context,
  { name, type }: DownloadedFile,
  parts: AsyncGenerator<string>,
): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
  c.header('content-type', type)
  c.header('content-disposition', `attachment; filename="${name}"`)
  // Else the first parts are read ahead, and a failure among them is taken for the end.
  c.header('transfer-encoding', 'chunked')
  return c.body(body)
}
