/**
 * One process at a time, by a file that exists while the work goes on. Its age is the sign of life:
 * process ids mean nothing across containers that share a folder.
 */
import fs from 'node:fs'

const BEAT_MS = 1_000
const DEAD_AFTER_MS = 10_000
const RETRY_MS = 200

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** @param {string} file */
function isDead(file) {
  try {
    return Date.now() - fs.statSync(file).mtimeMs > DEAD_AFTER_MS
  } catch {
    return false
  }
}

/** @param {string} file @returns {boolean} whether this process made it */
function tryCreate(file) {
  try {
    fs.closeSync(fs.openSync(file, 'wx'))
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Moved aside before it is removed: of several processes that find a dead lock, one gets to move it.
 * @param {string} file
 */
function clearDead(file) {
  const aside = `${file}.${process.pid}`
  try {
    fs.renameSync(file, aside)
    // Someone else was quicker and this is their new lock: give it back.
    if (!isDead(aside)) fs.linkSync(aside, file)
  } catch {
    // Gone already, or taken again: the next round sees.
  }
  fs.rmSync(aside, { force: true })
}

/**
 * @param {string} file
 * @param {() => void} onWait called once, when someone else holds it
 * @returns {Promise<() => void>} releases it
 */
export async function lockFolder(file, onWait) {
  let waited = false
  while (!tryCreate(file)) {
    if (isDead(file)) {
      clearDead(file)
      continue
    }
    if (!waited) onWait()
    waited = true
    await pause(RETRY_MS)
  }
  const beat = setInterval(() => {
    const now = new Date()
    fs.utimes(file, now, now, () => {})
  }, BEAT_MS)
  beat.unref()
  return () => {
    clearInterval(beat)
    fs.rmSync(file, { force: true })
  }
}
