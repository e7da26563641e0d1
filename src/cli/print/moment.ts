/** As the clock on the wall says it: `12:40:07`; on another day `2026-03-14 12:40:07`. */
export function moment(at: number, now = Date.now()): string {
  const date = new Date(at)
  const time = date.toTimeString().slice(0, 8)
  if (date.toDateString() === new Date(now).toDateString()) return time
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`
}
