/*
 * The table of the largest tensors. It holds as many rows as people look at, and more on request, so that a plan of
 * many thousands does not slow the page down.
 */

const ROWS_AT_ONCE = 100;

/** Texts are sorted from A, numbers from the largest. */
const COLUMNS = [
  { name: "Tensor", text: (tensor) => tensor.name, key: (tensor) => tensor.name, class: "" },
  { name: "Op", text: (tensor) => tensor.op, key: (tensor) => tensor.op || "~", class: "op" },
  { name: "Size", text: (tensor) => sizeText(tensor.size), key: (tensor) => -tensor.size, class: "number" },
  {
    name: "Nodes",
    title: "From which node to which it is needed; sorts by how long that is",
    text: (tensor, plan) =>
      `${tensor.from < 0 ? "start" : tensor.from}–${tensor.to < plan.nodes ? tensor.to : "end"}`,
    key: (tensor) => tensor.from - tensor.to,
    class: "number",
  },
];

class Table {
  constructor(page) {
    this.page = page;
    this.sorted = 2;
    this.reversed = false;
    this.limit = ROWS_AT_ONCE;
    this.body = document.getElementById("rows");
    this.more = document.getElementById("more");
    this.title = document.getElementById("table-title");
    this.headers = COLUMNS.map((column, i) => this.header(column, i));
    document.getElementById("columns").append(...this.headers);
    this.more.addEventListener("click", () => {
      this.limit += ROWS_AT_ONCE;
      this.fill();
    });
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) page.focusOn(page.plan.byId.get(Number(row.dataset.id)));
    });
  }

  header(column, i) {
    const button = element("button", { type: "button", title: column.title ?? "" }, column.name);
    button.addEventListener("click", () => this.sortBy(i));
    return element("th", { scope: "col", class: column.class }, button);
  }

  /** Sorts by a column; the second time in a row reverses it. */
  sortBy(i) {
    this.reversed = this.sorted === i && !this.reversed;
    this.sorted = i;
    this.limit = ROWS_AT_ONCE;
    this.fill();
  }

  /** Fills the table with what is searched for, or with all that takes bytes. */
  fill() {
    const { page } = this;
    const listed = page.plan.tensors.filter((tensor) =>
      page.matches ? page.matches.has(tensor) : tensor.panel >= 0 && tensor.kind !== "view",
    );
    const { key } = COLUMNS[this.sorted];
    const sign = this.reversed ? -1 : 1;
    listed.sort((a, b) => sign * compare(key(a), key(b)) || a.id - b.id);
    const shown = listed.slice(0, this.limit);
    this.body.replaceChildren(...shown.map((tensor) => this.row(tensor)));
    this.more.hidden = shown.length === listed.length;
    this.more.textContent = `Show more (${grouped(listed.length - shown.length)} left)`;
    this.title.textContent = page.matches ? "Found tensors" : "Largest tensors";
    this.headers.forEach((header, i) => {
      header.setAttribute("aria-sort", i === this.sorted ? this.direction() : "none");
    });
    this.markSelected();
  }

  direction() {
    const largestFirst = COLUMNS[this.sorted].class === "number";
    return largestFirst === this.reversed ? "ascending" : "descending";
  }

  row(tensor) {
    const name = element(
      "button",
      { type: "button", class: "link name", title: tensor.name },
      swatch(tensor.kind),
      element("span", {}, tensor.name),
    );
    const cells = COLUMNS.map((column, i) =>
      element("td", { class: column.class }, i === 0 ? name : column.text(tensor, this.page.plan)),
    );
    return element("tr", { "data-id": tensor.id }, ...cells);
  }

  markSelected() {
    const id = this.page.selected ? String(this.page.selected.id) : "";
    for (const row of this.body.children) row.setAttribute("aria-current", String(row.dataset.id === id));
  }
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
