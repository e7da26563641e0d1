/** Where a rule is made from this call. */
export function ruleAddress(id: string): string {
  return `/policy/rule/${encodeURIComponent(id)}`
}
