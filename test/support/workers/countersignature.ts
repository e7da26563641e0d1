import { verifyCountersignature } from '../../../src/gate/proof/countersignature-verify.ts'

/** Verifies what it is sent: an object with `token` and `options`. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { token, options } = (await request.json()) as {
      token: unknown
      options: Parameters<typeof verifyCountersignature>[1]
    }
    return Response.json(await verifyCountersignature(token, options))
  },
}
