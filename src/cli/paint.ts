// Colour, or none. picocolors loads only where there is a terminal to colour.

/** Colours by use. */
export interface Paint {
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}

const same = (text: string): string => text

const PLAIN: Paint = { green: same, red: same, yellow: same, dim: same, bold: same }

/** The colours for a terminal, or plain text. */
export async function loadPaint(colour: boolean): Promise<Paint> {
  if (!colour) return PLAIN
  const { createColors } = (await import("picocolors")).default
  return createColors(true)
}
