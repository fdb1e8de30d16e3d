import type { InputOption, OutputOptions } from "rolldown"

export function bundle(input: InputOption, output: OutputOptions): Promise<void>
export function bundleCommand(folder: string): Promise<void>
