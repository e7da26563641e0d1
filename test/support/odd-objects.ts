class Order {
  amount = 5
  get total(): number {
    return 5
  }
}

/** Arguments as no parser makes them, and some that are plain. */
export const ODD_OBJECTS: { readonly [name: string]: object } = {
  'a plain object': { amount: 1, total: undefined, nothing: null },
  'an object without the key': { other: 1 },
  'an empty object': {},
  'a parsed object with odd keys': JSON.parse('{"__proto__":1,"constructor":2,"toString":3,"0":4}'),
  'an object without a prototype': Object.assign(Object.create(null), { amount: 2, toString: 3 }),
  'an object that inherits the key': Object.create({ amount: 3 }),
  'an object below a null prototype': Object.create(Object.create(null, { amount: { value: 4 } })),
  'a class instance': new Order(),
  'an object with a getter': {
    get amount() {
      return 6
    },
  },
  'a frozen object': Object.freeze({ amount: 7 }),
  'an array': [1, 2],
  'a map': new Map([['amount', 1]]),
  'a date': new Date(0),
  'a large object': Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at])),
}
export const ODD_KEYS = [
  'amount',
  'total',
  'nothing',
  'missing',
  'toString',
  'constructor',
  'hasOwnProperty',
  '__proto__',
  'length',
  'size',
  '0',
  'k150',
]
