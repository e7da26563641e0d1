/** Clients that two generators make from `/openapi.json`, each calling a real server. */

import { provePython } from './openapi/python.ts'
import { proveTypeScript } from './openapi/typescript.ts'
import { openWorld } from './openapi/world.ts'

for (const prove of [proveTypeScript, provePython]) {
  const world = await openWorld()
  try {
    await prove(world)
  } finally {
    await world.close()
  }
}
