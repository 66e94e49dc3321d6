/** One observable promise of the documents in test/documents. */
export interface Requirement {
  /** As test titles name it. */
  id: string;
  text: string;
  /** `path/to/file.test.ts: title of the test`, or `later`. */
  shownBy: readonly string[] | 'later';
}
