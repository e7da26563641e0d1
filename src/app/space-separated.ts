/** Several values in one variable of the environment, separated by spaces. */
export function words(text = ''): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
