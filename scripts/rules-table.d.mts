/** A rule as the document shows it. */
export interface ShownRule {
  readonly title: string
  readonly help: string
  readonly severity: string
}
export function renderRules(rules: Readonly<Record<string, ShownRule>>): string
export function placeRules(text: string, rules: Readonly<Record<string, ShownRule>>): string
