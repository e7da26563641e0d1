/**
 * Everything a tool finds besides the language itself. Runs inside the interpreter before the code
 * of the tool, and keeps what it uses: a tool that changes `JSON` or `Promise` changes its own.
 */
export const PRELUDE = `(function (log, host, names, word) {
  'use strict'
  const { parse, stringify } = JSON
  const { freeze } = Object
  const NativeProxy = Proxy
  const NativeError = Error
  const NativeTypeError = TypeError
  const shown = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof NativeError) return value.name + ': ' + value.message
    try {
      return stringify(value) ?? String(value)
    } catch {
      return String(value)
    }
  }
  const say = (level) => (...all) => log(level, all.map(shown).join(' '))
  const console = freeze({
    log: say('info'), info: say('info'), debug: say('info'), warn: say('warn'), error: say('error'),
  })
  const ask = async (what, body) => parse(await host(what, stringify(body)))
  const fetch = async (url, init = {}) => {
    const { method, headers, body } = init
    const { status, url: end, headers: got, text } = await ask('fetch', {
      url: String(url), method, headers, body: body === undefined ? undefined : String(body),
    })
    return freeze({
      status, url: end, ok: status >= 200 && status < 300,
      headers: freeze({ get: (name) => got[String(name).toLowerCase()] ?? null }),
      text: async () => text,
      json: async () => parse(text),
    })
  }
  const kv = freeze({
    get: async (key) => (await ask('kv.get', { key: String(key) })).value,
    set: async (key, value) => { await ask('kv.set', { key: String(key), value: value ?? null }) },
    delete: async (key) => { await ask('kv.delete', { key: String(key) }) },
    keys: async () => (await ask('kv.keys', {})).keys,
  })
  const known = new Set(parse(names))
  const secrets = new NativeProxy(freeze({}), {
    get(_, name) {
      if (typeof name !== 'string') return undefined
      if (known.has(name)) return '{{secret:' + name + ':' + word + '}}'
      throw new NativeError('this tool lacks the capability secrets: ' + name)
    },
  })
  const give = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false })
  give('console', console)
  give('fetch', fetch)
  return async function (tool, args, isTest) {
    if (typeof tool !== 'function') {
      throw new NativeTypeError('the source has to "export default" a function')
    }
    const value = await tool(parse(args), freeze({ console, fetch, kv, secrets, isTest }))
    const text = stringify(value === undefined ? null : value)
    if (typeof text !== 'string') throw new NativeTypeError('the result cannot be written as JSON')
    return text
  }
})`
