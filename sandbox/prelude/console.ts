/** console, and how it shows values: bounded, and whatever a value's own code does. */
export const consoleSource = String.raw`
const SHOWN = 16384;
const inspect = (value, depth = 0, above = undefined) => {
  switch (typeof value) {
    case 'string': return depth === 0 ? value : stringify(value.length > 1000 ? sliceText(value, 0, 1000) + '…' : value);
    case 'symbol': return symbolText(value);
    case 'function': return '[Function ' + shortText(attempt(() => value.name, ''), '') + ']';
    case 'object': break;
    default: return toText(value);
  }
  if (value === null) return 'null';
  for (let up = above; up; up = up.above) if (up.value === value) return '[Circular]';
  if (depth > 4) return isArray(value) ? '[Array]' : '[Object]';
  const here = { __proto__: null, value, above };
  return attempt(() => inspectObject(value, depth, here), '[object that cannot be shown]');
};
const inspectObject = (value, depth, here) => {
  if (isError(value)) return shortText(attempt(() => value.name + ': ' + value.message, 'Error'), 'Error');
  if (isDate(value)) return isFinite(dateTime(value)) ? dateISO(value) : 'Invalid Date';
  const parts = setProto([], null);
  let used = 0;
  const add = (text) => { parts[parts.length] = text; used += text.length; };
  const full = (rest) => { if (parts.length < 100 && used < SHOWN) return false; add('… ' + rest + ' more'); return true; };
  const inner = (item) => inspect(item, depth + 1, here);
  if (isMap(value)) {
    const size = mapSize(value); let left = size, done = false;
    mapEntries(value, (item, key) => { if (!done) { add(inner(key) + ' => ' + inner(item)); left--; done = left > 0 && full(left); } });
    return 'Map(' + size + ') {' + joinList(parts, ', ') + '}';
  }
  if (isSet(value)) {
    const size = setSize(value); let left = size, done = false;
    setEntries(value, (item) => { if (!done) { add(inner(item)); left--; done = left > 0 && full(left); } });
    return 'Set(' + size + ') {' + joinList(parts, ', ') + '}';
  }
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) { if (full(value.length - i)) break; add(inner(value[i])); }
    return '[' + joinList(parts, ', ') + ']';
  }
  const keys = keysOf(value);
  for (let i = 0; i < keys.length; i++) {
    if (full(keys.length - i)) break;
    add((testRegExp(/^[A-Za-z_$][\w$]*$/, keys[i]) ? keys[i] : stringify(keys[i])) + ': ' + attempt(() => inner(value[keys[i]]), '[throws]'));
  }
  return '{' + joinList(parts, ', ') + '}';
};
const log = (prefix) => function () {
  const args = arguments;
  const texts = setProto([], null);
  for (let i = 0; i < args.length && i < 100; i++) texts[i] = attempt(() => inspect(args[i]), '[value that cannot be shown]');
  const text = prefix + joinList(texts, ' ');
  hostCall(0, 'log', text.length > SHOWN ? sliceText(text, 0, SHOWN) + '…' : text, '');
};
const console = freeze({ log: log(''), info: log(''), debug: log(''), warn: log('warn: '), error: log('error: ') });
`;
