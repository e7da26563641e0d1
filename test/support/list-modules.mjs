/** Preloaded: prints every module the program has loaded by its end, on standard error. */
import { registerHooks } from 'node:module'

/** @type {Set<string>} */
const urls = new Set()
registerHooks({
  load(url, context, nextLoad) {
    urls.add(url)
    return nextLoad(url, context)
  },
})
process.on('exit', () => process.stderr.write(JSON.stringify([...urls])))
