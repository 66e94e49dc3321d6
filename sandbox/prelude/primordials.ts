/** Captured before the script runs: it may change any prototype, and must not reach us by that. */
export const primordials = String.raw`
const O = Object, P = Promise, E = Error, TE = TypeError, RE = RangeError, A = Array;
const uncurry = Function.prototype.call.bind.bind(Function.prototype.call);
const apply = Reflect.apply, ownKeys = Reflect.ownKeys;
const define = O.defineProperty, freeze = O.freeze, create = O.create, setProto = O.setPrototypeOf;
const getProto = O.getPrototypeOf, keysOf = O.keys, descriptorOf = O.getOwnPropertyDescriptor;
const isArray = A.isArray, isView = ArrayBuffer.isView;
const stringify = JSON.stringify, parse = JSON.parse, toText = String, isFinite = Number.isFinite;
const sliceText = uncurry(String.prototype.slice), indexOfText = uncurry(String.prototype.indexOf);
const testRegExp = uncurry(RegExp.prototype.exec);
const joinList = uncurry(A.prototype.join), pushTo = uncurry(A.prototype.push), sliceList = uncurry(A.prototype.slice);
const dateISO = uncurry(Date.prototype.toISOString), dateTime = uncurry(Date.prototype.getTime);
const mapSize = uncurry(descriptorOf(Map.prototype, 'size').get), setSize = uncurry(descriptorOf(Set.prototype, 'size').get);
const mapEntries = uncurry(Map.prototype.forEach), setEntries = uncurry(Set.prototype.forEach);
const symbolText = uncurry(Symbol.prototype.toString);
const isError = (value) => value instanceof E;
const known = new WeakMap();
const knownGet = known.get.bind(known), knownSet = known.set.bind(known);
const hidden = (value) => ({ __proto__: null, value, writable: false, enumerable: false, configurable: false });
const shown = (value) => ({ __proto__: null, value, writable: false, enumerable: true, configurable: false });
const brand = (call) => { try { call(); return true; } catch { return false; } };
const isDate = (value) => brand(() => dateTime(value));
const isMap = (value) => brand(() => mapSize(value));
const isSet = (value) => brand(() => setSize(value));
`;
