/** A customer of one end user of the harness. */
export interface Customer {
  id: string;
  email: string;
  name: string;
}

/** Stands for your database. Everything in it belongs to one end user. */
const customers = new Map<string, Map<string, Customer>>();

/** Looks only at the customers of `user`. */
export function findCustomer(user: string, email: string): Customer | undefined {
  return customers.get(user)?.get(email);
}

/** The same `key` creates the customer once, however often it is called. */
export function createCustomer(user: string, email: string, key: string): Customer {
  const owned = customers.get(user) ?? new Map<string, Customer>();
  customers.set(user, owned);
  const customer = owned.get(email) ?? {
    id: `cus_${key.replace(/\W/g, '_')}`,
    email,
    name: email.slice(0, email.indexOf('@')),
  };
  owned.set(email, customer);
  return customer;
}
