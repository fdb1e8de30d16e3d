/** What test/hostile/matrix.json holds. */
export interface MatrixDocument {
  readonly reasons: Readonly<Record<string, string>>
  readonly lies: Readonly<Record<string, Readonly<Record<string, string>>>>
}
export function renderMatrix(matrix: MatrixDocument): string
export function placeMatrix(text: string, matrix: MatrixDocument): string
