/**
 * The options as their author gave them, by an object or by a class, and nothing that only stands
 * in `Object.prototype`: a careless merge of foreign JSON can put a member there, and every object
 * of the program then seems to have it.
 */
export function givenOptions<T extends object>(options: T): T {
  const given = Object.create(null) as Record<PropertyKey, unknown>
  for (
    let at: object | null = options;
    at !== null && !isRoot(at);
    at = Object.getPrototypeOf(at)
  ) {
    for (const key of Reflect.ownKeys(at)) {
      if (!(key in given)) given[key] = (options as Record<PropertyKey, unknown>)[key]
    }
  }
  return given as T
}

/** `Object.prototype`, of whatever realm. */
function isRoot(at: object): boolean {
  return Object.getPrototypeOf(at) === null && Object.hasOwn(at, 'hasOwnProperty')
}
