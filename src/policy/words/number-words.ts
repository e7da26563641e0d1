/**
 * `10,000`: thousands apart from five digits on, so that years and ports stay as people write them.
 * Made from the shortest exact text of the number, so no digit is rounded away.
 */
export function numberWords(value: number): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(\..*|)$/.exec(String(value)) ?? []
  if (whole.length < 5) return String(value)
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest}`
}
