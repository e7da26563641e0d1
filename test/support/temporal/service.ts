/** The methods of Temporal's service, with the types of requests and responses that its SDK brings. */
import proto, { type temporal } from '@temporalio/proto'
import type { Unary } from './grpc.ts'

type Service = typeof temporal.api.workflowservice.v1
type Requests = {
  [K in keyof Service as K extends `${infer Name}Request` ? Name : never]: Service[K] extends {
    prototype: infer Request
  }
    ? Request
    : never
}
export type Handlers = {
  readonly [K in keyof Requests]?: (
    request: Requests[K],
    gone: AbortSignal,
  ) => object | Promise<object>
}

const { methodsArray } = (proto.temporal.api.workflowservice.v1 as unknown as Reflected)
  .lookupService('WorkflowService')
  .resolveAll()

interface Reflected {
  lookupService(name: string): { resolveAll(): { readonly methodsArray: readonly Method[] } }
}
interface Method {
  readonly name: string
  readonly resolvedRequestType: { decode(bytes: Uint8Array): never }
  readonly resolvedResponseType: {
    fromObject(value: object): object
    encode(message: object): { finish(): Uint8Array }
  }
}

export function unaryOf(path: string, handlers: Handlers): Unary | undefined {
  const name = path.replace('/temporal.api.workflowservice.v1.WorkflowService/', '')
  const method = methodsArray.find((one) => one.name === name)
  const handle = (
    handlers as Readonly<Record<string, (request: never, gone: AbortSignal) => object>>
  )[name]
  if (!method || !handle) return undefined
  const { resolvedRequestType: request, resolvedResponseType: response } = method
  return async (bytes, gone) => {
    const answered = await handle(request.decode(bytes), gone)
    return response.encode(response.fromObject(answered)).finish()
  }
}
