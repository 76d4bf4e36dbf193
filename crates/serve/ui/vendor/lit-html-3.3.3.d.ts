// What the page uses of lit-html, for checking the types of its modules.
export function html(strings: TemplateStringsArray, ...values: unknown[]): object;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): object;
export function render(value: unknown, container: Element | DocumentFragment): object;
export const nothing: symbol;
export function live(value: unknown): object;
