interface NamedFilter {
  readonly page: 'inbox' | 'history'
  readonly query: string
}

/** Where a filter of a page is opened, as the router knows it. */
export function viewPath({ page, query }: NamedFilter): string {
  return `${page === 'inbox' ? '/' : '/history'}${query === '' ? '' : `?${query}`}`
}
