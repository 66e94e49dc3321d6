/** The engine seeds its own generator from the clock alone: two runs of one millisecond would draw equal numbers. */
export const random = String.raw`
const state = new Uint32Array(4);
for (let i = 0; i < 4; i++) state[i] = +('0x' + sliceText(scope.seed, i * 8, i * 8 + 8));
const next = () => {
  // sfc32, by Chris Doty-Humphrey: 128 bits of state, passes PractRand.
  const t = (((state[0] + state[1]) | 0) + state[3]) | 0;
  state[3] = state[3] + 1;
  state[0] = state[1] ^ (state[1] >>> 9);
  state[1] = (state[2] + (state[2] << 3)) | 0;
  state[2] = (((state[2] << 21) | (state[2] >>> 11)) + t) | 0;
  return t >>> 0;
};
for (let i = 0; i < 15; i++) next();
define(Math, 'random', {
  __proto__: null, writable: true, enumerable: false, configurable: true,
  value: { random() { return ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992; } }.random,
});
`;
