/** One step of the schema. Never changed once released; a mistake is mended by the next step. */
export interface Migration {
  /** 1, 2, 3, … without gaps. */
  id: number;
  name: string;
  /** Applied in order, all in one transaction. */
  statements: readonly string[];
}
