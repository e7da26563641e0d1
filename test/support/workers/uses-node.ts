import { readFileSync } from 'node:fs'

export default {
  fetch: () => new Response(readFileSync('/etc/hostname')),
}
