export { createEngine, type EngineOptions } from './engine';
