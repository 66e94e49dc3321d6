/**
 * Takes away what the language of scripts does not have, and refuses at once what could only end for
 * want of fuel: array methods on lengths that no memory holds.
 */
export const globals = String.raw`
for (const name of ['eval', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'SharedArrayBuffer', 'Atomics',
  'WeakRef', 'FinalizationRegistry', 'InternalError', 'SuppressedError', 'DisposableStack', 'AsyncDisposableStack',
  'Iterator', 'Float16Array', 'queueMicrotask', 'performance', 'DOMException', 'atob', 'btoa']) {
  delete globalThis[name];
}
for (const name of ['getBigInt64', 'getBigUint64', 'setBigInt64', 'setBigUint64']) delete DataView.prototype[name];
// No text becomes code.
const noCode = function Function() { throw new TE('code from text is not available in scripts'); };
define(noCode, 'prototype', hidden(Function.prototype));
for (const sample of [function () {}, async function () {}, function* () {}, async function* () {}]) {
  define(getProto(sample), 'constructor', hidden(noCode));
}
define(globalThis, 'Function', { __proto__: null, value: noCode, writable: true, enumerable: false, configurable: true });
// Traces are ours to read.
define(E, 'prepareStackTrace', hidden(undefined));
E.stackTraceLimit = 50;
define(E, 'stackTraceLimit', hidden(50));

const CAP = 16777216;
const lengthOf = (list) => {
  if (typeof list === 'string' || isView(list)) return list.length;
  const own = descriptorOf(O(list), 'length');
  if (own && !('value' in own)) throw new TE('array methods need an object with a plain length here');
  return own ? +own.value : +list.length;
};
const capped = (proto, name) => {
  const native = proto[name];
  if (typeof native !== 'function') return;
  const guard = { [name]() {
    if (this !== null && this !== undefined) {
      const length = lengthOf(this);
      if (length > CAP) throw new RE(name + ': at most ' + CAP + ' elements at once, this has ' + length);
    }
    return apply(native, this, arguments);
  } }[name];
  define(guard, 'length', { __proto__: null, value: native.length, configurable: true });
  define(proto, name, { __proto__: null, value: guard, writable: true, enumerable: false, configurable: true });
};
for (const name of ['indexOf', 'lastIndexOf', 'includes', 'fill', 'join', 'reverse', 'toReversed', 'sort', 'toSorted',
  'splice', 'toSpliced', 'slice', 'concat', 'copyWithin', 'shift', 'unshift', 'flat', 'flatMap', 'with', 'forEach', 'map',
  'filter', 'reduce', 'reduceRight', 'some', 'every', 'find', 'findIndex', 'findLast', 'findLastIndex', 'toLocaleString']) {
  capped(A.prototype, name);
}
`;
