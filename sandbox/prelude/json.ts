/** Values on their way out: what JSON would silently turn into something else is refused, by its path. */
export const json = String.raw`
const describeValue = (value) => {
  if (typeof value === 'number') return toText(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'bigint') return 'a BigInt';
  return isMap(value) ? 'a Map' : isSet(value) ? 'a Set' : 'a cycle';
};
const place = (path, key) => typeof key === 'number' ? path + '[' + key + ']'
  : testRegExp(/^[A-Za-z_$][\w$]*$/, key) ? path + '.' + key : path + '[' + stringify(key) + ']';
const refuse = (path, value) => new TE(path + ' is ' + describeValue(value) + ', which JSON cannot hold');
/** A copy that holds nothing but JSON and reaches no prototype of the script's; undefined stays undefined. */
const plain = (value, path, above) => {
  switch (typeof value) {
    case 'string': case 'boolean': case 'undefined': return value;
    case 'number': if (isFinite(value)) return value; throw refuse(path, value);
    case 'object': break;
    default: throw refuse(path, value);
  }
  if (value === null) return null;
  for (let up = above; up; up = up.above) if (up.value === value) throw refuse(path, value);
  if (above && above.depth >= 500) throw new TE(path + ' is nested deeper than 500 levels');
  if (isDate(value)) {
    if (!isFinite(dateTime(value))) throw new TE(path + ' is an invalid Date, which JSON cannot hold');
    return dateISO(value);
  }
  if (isMap(value) || isSet(value)) throw refuse(path, value);
  const here = { __proto__: null, value, above, depth: above ? above.depth + 1 : 1 };
  const toJSON = value.toJSON;
  if (typeof toJSON === 'function') return plain(apply(toJSON, value, []), path, here);
  if (isArray(value)) {
    const copy = setProto([], null);
    const length = value.length;
    for (let i = 0; i < length; i++) {
      const item = plain(value[i], place(path, i), here);
      copy[i] = item === undefined ? null : item;
    }
    return copy;
  }
  if (isError(value)) {
    const copy = create(null);
    copy.name = toText(value.name);
    copy.message = toText(value.message);
    return copy;
  }
  const copy = create(null);
  const keys = keysOf(value);
  for (let i = 0; i < keys.length; i++) {
    const item = plain(value[keys[i]], place(path, keys[i]), here);
    if (item !== undefined) copy[keys[i]] = item;
  }
  return copy;
};
const encode = (value, path) => {
  const copy = plain(value, path, undefined);
  return copy === undefined ? undefined : stringify(copy);
};
`;
