export function measureProcesses<Name extends string>(
  commands: Readonly<Record<Name, readonly string[]>>,
  options?: { rounds?: number; clock?: "cpu" | "wall"; env?: NodeJS.ProcessEnv; cwd?: string },
): Record<Name, number[]>
export function median(values: readonly number[]): number
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number
