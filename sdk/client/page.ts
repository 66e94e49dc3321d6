/** Parameters that all lists take. */
export interface ListParams {
  /** Rows of a page. Default 50, at most 200. */
  limit?: number;
  /** `nextCursor` of the page before. */
  cursor?: string;
}

/**
 * One page of a list. `for await` goes over its rows and those of all pages that follow, which are
 * fetched as they are needed.
 */
export interface Page<T> extends AsyncIterable<T> {
  data: T[];
  /** Left out on the last page. */
  nextCursor?: string;
}

/** Makes a page of what the server answered; `next` fetches the page at a cursor. */
export function pageOf<T>(
  answer: { data: T[]; nextCursor?: string },
  next: (cursor: string) => Promise<Page<T>>,
): Page<T> {
  const page = { ...answer } as Page<T>;
  // Not enumerable: printing a page shows its rows.
  Object.defineProperty(page, Symbol.asyncIterator, {
    value: async function* (): AsyncGenerator<T> {
      let current: Page<T> = page;
      for (;;) {
        yield* current.data;
        if (current.nextCursor === undefined) return;
        current = await next(current.nextCursor);
      }
    },
  });
  return page;
}
