import { Store } from "./store";

export interface Card {
  id: string;
  title: string;
  column: string;
}

export const COLUMNS = ["todo", "doing", "done"];

export class Board {
  private cards: Card[] = [];

  constructor(private store: Store) {
    this.cards = store.load();
  }

  /** Adds a card to the first column. */
  add(title: string): Card {
    const card = { id: String(this.cards.length + 1), title, column: COLUMNS[0] };
    this.cards.push(card);
    this.store.save(this.cards);
    return card;
  }

  /** Moves a card to another column. */
  move(id: string, column: string): void {
    const card = this.find(id);
    if (!COLUMNS.includes(column)) {
      throw new Error(`no column ${column}`);
    }
    card.column = column;
    this.store.save(this.cards);
  }

  find(id: string): Card {
    const card = this.cards.find((one) => one.id === id);
    if (!card) {
      throw new Error(`no card ${id}`);
    }
    return card;
  }

  inColumn(column: string): Card[] {
    return this.cards.filter((card) => card.column === column);
  }
}

export function progress(board: Board): number {
  const done = board.inColumn("done").length;
  const all = COLUMNS.reduce((sum, column) => sum + board.inColumn(column).length, 0);
  return all === 0 ? 0 : done / all;
}

export const show = (board: Board): string => {
  return COLUMNS.map((column) => `${column}: ${board.inColumn(column).length}`).join(", ");
};
