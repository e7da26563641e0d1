import { stripTypeScriptTypes } from 'node:module'
import { createInterface } from 'node:readline'
import variantModule from '@jitl/quickjs-ng-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { PRELUDE } from './guest-prelude.ts'
import type { FromChild, ReplyMessage, RunError, RunMessage, ToChild } from './messages.ts'

/*
 * One call of one tool, in a process of its own: started for it and killed after it. The
 * interpreter has no way out but the two functions it is given; behind them is the parent, which
 * checks everything again.
 */

// Its types describe the module for `require`.
const variant = variantModule as unknown as QuickJSSyncVariant

// With more, deep recursion overflows the stack of the host and aborts the module.
const STACK_BYTES = 256 * 1_024
const JOBS_AT_ONCE = 100
const PAGE_BYTES = 65_536
// As the module was built.
const PAGES_AT_START = 256

const waiting = new Map<number, (reply: ReplyMessage) => void>()

function tell(message: FromChild): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function fail(error: RunError): void {
  tell({ type: 'end', error })
}

async function run(message: RunMessage): Promise<void> {
  const { source, language, args, limits } = message
  let code = source
  if (language === 'typescript') {
    try {
      code = stripTypeScriptTypes(source, { mode: 'strip' })
    } catch (error) {
      return fail({ kind: 'syntax', message: lastLine(error), ...strippedAt(error) })
    }
  }
  // The limit of the runtime does not count array buffers; that of the module counts everything.
  const maximum = PAGES_AT_START + Math.ceil(limits.memory / PAGE_BYTES)
  const wasmMemory = new WebAssembly.Memory({ initial: PAGES_AT_START, maximum })
  const bounded = newVariant(variant, { wasmMemory }) as QuickJSSyncVariant
  const quickjs = await newQuickJSWASMModuleFromVariant(bounded)
  const runtime = quickjs.newRuntime()
  runtime.setMemoryLimit(limits.memory)
  runtime.setMaxStackSize(STACK_BYTES)
  const clock = cpuClock(limits.cpu)
  runtime.setInterruptHandler(clock.isOver)
  const vm = runtime.newContext()
  let isOver = false
  let promise: QuickJSHandle | undefined
  const end = (error: RunError) => {
    if (isOver) return
    isOver = true
    fail(
      clock.isOver()
        ? { kind: 'cpu', message: `it computed for more than ${limits.cpu} ms` }
        : error,
    )
  }
  const thrown = (handle: QuickJSHandle): RunError => errorOf(vm, handle)

  try {
    const start = clock.during(() => prepare(vm, message, settle))
    const loaded = clock.during(() => vm.evalCode(code, 'tool.js', { type: 'module' }))
    if (loaded.error) return end({ ...thrown(loaded.error), kind: syntaxOr(vm, loaded.error) })
    const namespace = await moduleOf(loaded.value)
    if (!namespace) return
    const tool = vm.getProp(namespace, 'default')
    const called = clock.during(() =>
      vm.callFunction(
        start,
        vm.undefined,
        tool,
        vm.newString(args),
        message.isTest ? vm.true : vm.false,
      ),
    )
    if (called.error) return end(thrown(called.error))
    promise = called.value
    settle()
  } catch (error) {
    end({ kind: 'crashed', message: lastLine(error) })
  }

  /** A module that awaits at its top level is there later. */
  async function moduleOf(value: QuickJSHandle): Promise<QuickJSHandle | undefined> {
    const state = vm.getPromiseState(value)
    if (state.type === 'fulfilled') return state.value
    clock.during(() => runJobs(runtime, clock))
    const later = vm.getPromiseState(value)
    if (later.type === 'fulfilled') return later.value
    if (later.type === 'rejected') end({ ...thrown(later.error), kind: 'thrown' })
    else
      end({ kind: 'stuck', message: 'the source waits at its top level; wait inside the function' })
    return undefined
  }

  /** After every step: is there a result, an error, or nothing left to wait for? */
  function settle() {
    if (isOver || promise === undefined) return
    try {
      clock.during(() => runJobs(runtime, clock))
      if (clock.isOver()) return end({ kind: 'cpu', message: '' })
      const state = vm.getPromiseState(promise)
      if (state.type === 'rejected') return end(thrown(state.error))
      if (state.type === 'fulfilled') return finish(vm.getString(state.value))
      if (waiting.size > 0) return
      end({ kind: 'stuck', message: 'it waits for something that never happens' })
    } catch (error) {
      end({ kind: 'crashed', message: lastLine(error) })
    }
  }

  function finish(result: string) {
    if (Buffer.byteLength(result) > limits.result) {
      return end({ kind: 'result', message: `its result is larger than ${limits.result} bytes` })
    }
    isOver = true
    tell({ type: 'end', result })
  }

  /** Gives the guest its two ways out, and takes the function that starts a tool. */
  function prepare(
    context: QuickJSContext,
    { secrets: names, word }: RunMessage,
    step: () => void,
  ): QuickJSHandle {
    let lines = 0
    let requests = 0
    const log = context.newFunction('log', (level, text) => {
      if (++lines > limits.logLines) return
      const shown = context.getString(text).slice(0, limits.logLine)
      tell({ type: 'log', level: context.getString(level), text: shown })
    })
    const host = context.newFunction('host', (what, body) => {
      const deferred = context.newPromise()
      const id = ++requests
      if (id > limits.requests) {
        const error = context.newError(`a tool makes at most ${limits.requests} requests`)
        deferred.reject(error)
        return deferred.handle
      }
      waiting.set(id, ({ value, error }) => {
        if (isOver) return
        const handle =
          error === undefined ? context.newString(value ?? 'null') : context.newError(error)
        if (error === undefined) deferred.resolve(handle)
        else deferred.reject(handle)
        handle.dispose()
        step()
      })
      tell({ type: 'host', id, what: context.getString(what), body: context.getString(body) })
      return deferred.handle
    })
    const made = context.unwrapResult(context.evalCode(PRELUDE, 'countersign.js'))
    const list = context.newString(JSON.stringify(names))
    const given = [log, host, list, context.newString(word)]
    return context.unwrapResult(context.callFunction(made, context.undefined, ...given))
  }
}

interface CpuClock {
  isOver(): boolean
  during<T>(work: () => T): T
}

/** Counts the processor time of the tool's code, over all its steps: a busy machine is not its fault. */
function cpuClock(limit: number): CpuClock {
  let used = 0
  let since: number | undefined
  const total = () => used + (since === undefined ? 0 : threadMs() - since)
  return {
    isOver: () => total() > limit,
    during(work) {
      if (since !== undefined) return work()
      since = threadMs()
      try {
        return work()
      } finally {
        used = total()
        since = undefined
      }
    },
  }
}

function threadMs(): number {
  // Node 22 counts for the whole process alone.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1_000
}

/** In pieces: a chain of short jobs without end is never interrupted from within. */
function runJobs(runtime: QuickJSRuntime, clock: CpuClock): void {
  while (runtime.hasPendingJob() && !clock.isOver()) {
    const { error } = runtime.executePendingJobs(JOBS_AT_ONCE)
    error?.dispose()
  }
}

function errorOf(vm: QuickJSContext, handle: QuickJSHandle): RunError {
  const dumped: unknown = vm.dump(handle)
  const { name, message, stack } = (
    typeof dumped === 'object' && dumped !== null ? dumped : { message: String(dumped) }
  ) as { name?: unknown; message?: unknown; stack?: unknown }
  const says = typeof message === 'string' ? message : JSON.stringify(dumped)
  const at = /\(?(tool\.js:\d+(?::\d+)?)\)?/.exec(String(stack ?? ''))?.[1]
  return {
    kind: 'thrown',
    message: `${typeof name === 'string' ? name : 'Error'}: ${says}`.slice(0, 4_000),
    ...(at === undefined ? {} : { at }),
  }
}

function syntaxOr(vm: QuickJSContext, handle: QuickJSHandle): 'syntax' | 'thrown' {
  const name = vm.getProp(handle, 'name')
  return vm.typeof(name) === 'string' && vm.getString(name) === 'SyntaxError' ? 'syntax' : 'thrown'
}

/** Node says the line on top of the stack, before a picture of it: `:2`. */
function strippedAt(error: unknown): { readonly at?: string } {
  const line = error instanceof Error ? /^[^\n]*:(\d+)\n/.exec(error.stack ?? '')?.[1] : undefined
  return line === undefined ? {} : { at: `tool.js:${line}` }
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n').at(-1)?.trim().slice(0, 1_000) ?? 'unknown'
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as ToChild
  if (message.type === 'run') {
    run(message).catch((error: unknown) => fail({ kind: 'crashed', message: lastLine(error) }))
    return
  }
  const answer = waiting.get(message.id)
  waiting.delete(message.id)
  answer?.(message)
})
