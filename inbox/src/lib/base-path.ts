/** Where the server is mounted: empty at the root of its host, else such as `/approvals`. */
export const BASE_PATH =
  document.querySelector<HTMLMetaElement>('meta[name="countersign-base"]')?.content ?? ''
