/** Imports the module named on the command line, then prints everything that this loaded. */
import { registerHooks } from 'node:module'

/** @type {Set<string>} */
const urls = new Set()
registerHooks({
  load(url, context, nextLoad) {
    urls.add(url)
    return nextLoad(url, context)
  },
})
/** @type {string[]} */
const native = []
const { dlopen } = process
process.dlopen = (/** @type {any[]} */ ...args) => {
  native.push(String(args[1]))
  return Reflect.apply(dlopen, process, args)
}

await import(String(process.argv[2]))
process.stdout.write(JSON.stringify({ urls: [...urls], native }))
