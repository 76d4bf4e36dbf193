// What the page uses of lit-html, for checking the types of its modules.
export function html(strings: TemplateStringsArray, ...values: unknown[]): object;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): object;
export function render(value: unknown, container: Element | DocumentFragment): object;
export const nothing: symbol;
export const noChange: symbol;
export function repeat<T>(items: Iterable<T>, key: (item: T) => unknown, template: (item: T, index: number) => unknown): object;
export function classMap(classes: Record<string, boolean>): object;
export function live(value: unknown): object;
export function ref(callback: (element?: Element) => void): object;
export function ifDefined(value: unknown): unknown;
export function guard(dependencies: unknown[], value: () => unknown): object;
