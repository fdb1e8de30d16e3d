export function formatModule(): string
