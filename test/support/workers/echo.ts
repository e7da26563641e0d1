/** Answers with what it was sent, and with the runtime it believes to be in. */
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json({ said: await request.text(), runtime: navigator.userAgent })
  },
}
