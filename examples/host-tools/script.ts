/** What a model would write: it looks a customer up, makes one where there is none, and asks. */
export const script = `
import { ToolError } from "rewind";

let customer;
try {
  customer = await crm.find_customer({ email: input.email });
} catch (error) {
  if (error instanceof ToolError && (error.data as { code?: string })?.code === "not_found") {
    console.log("no customer", input.email, "yet");
    customer = await crm.create_customer({ email: input.email });
  } else throw error;
}
const { answer } = await ask_user({ question: \`Send the invoice to \${customer.name}?\` });
return { customer: customer.id, send: answer === "yes" };
`.trimStart();
