"use strict";

/*
 * The plan as the page knows it. Time is counted in slots: slot 0 is before the first node, slot i + 1 is node i, and
 * the last slot is after the last node. A tensor takes its bytes in the slots from `start` on, and before `end`.
 */

const KINDS = {
  computed: "computed",
  inPlace: "in the place of an operand",
  input: "there from the start",
  output: "output, kept to the end",
  view: "view of another tensor",
  fixed: "memory of its own, not planned",
};

/** Reads the JSON in the page, and ties tensors to their views and to what takes over their place. */
function readPlan(text) {
  const plan = JSON.parse(text);
  plan.slots = plan.nodes + 2;
  plan.byId = new Map();
  plan.tensors = plan.tensors.map((row) => {
    const tensor = Object.fromEntries(plan.columns.map((column, i) => [column, row[i]]));
    tensor.start = tensor.from + 1;
    tensor.views = [];
    tensor.takenOverBy = null;
    tensor.searched = `${tensor.name} ${tensor.op} ${tensor.layout}`.toLowerCase();
    plan.byId.set(tensor.id, tensor);
    return tensor;
  });
  for (const tensor of plan.tensors) {
    plan.byId.get(tensor.viewOf)?.views.push(tensor);
    const operand = plan.byId.get(tensor.inPlaceOf);
    if (operand) operand.takenOverBy = tensor;
  }
  plan.panels.forEach((panel, index) => {
    const here = plan.tensors.filter((tensor) => tensor.panel === index);
    panel.tensors = here.filter((tensor) => tensor.kind !== "view" && tensor.size > 0);
    panel.views = here.filter((tensor) => tensor.kind === "view" && tensor.size > 0 && tensor.end > tensor.start);
    panel.profile = liveBytes(plan, panel);
    panel.peakSlot = panel.peak + 1;
  });
  return plan;
}

/** How many bytes are live in a panel, slot by slot. */
function liveBytes(plan, panel) {
  const live = new Float64Array(plan.slots + 1);
  for (const tensor of panel.tensors) {
    const bytes = Math.ceil(tensor.size / panel.alignment) * panel.alignment;
    live[tensor.start] += bytes;
    live[tensor.end] -= bytes;
  }
  for (let slot = 1; slot <= plan.slots; slot++) live[slot] += live[slot - 1];
  return live;
}

/** The tensors that share a place one after the other with this one, oldest first; a view stands for its source. */
function chainOf(plan, tensor) {
  let first = plan.byId.get(tensor.viewOf) ?? tensor;
  while (plan.byId.has(first.inPlaceOf)) first = plan.byId.get(first.inPlaceOf);
  const chain = [];
  for (let link = first; link; link = link.takenOverBy) chain.push(link);
  return chain;
}

/** Whether a tensor takes bytes in its panel at the time when the most are taken there. */
function isLiveAtPeak(plan, tensor) {
  if (tensor.panel < 0 || tensor.kind === "view") return false;
  const slot = plan.panels[tensor.panel].peakSlot;
  return tensor.start <= slot && slot < tensor.end;
}

const grouped = new Intl.NumberFormat("en-US").format;

/** A number of bytes in the unit that suits it. */
function sizeText(bytes, digits = 2) {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  const power = Math.min(6, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(digits)} ${"KMGTPE"[power - 1]}iB`;
}

/** A point of time in words: a node with its name and op. */
function timeText(plan, time) {
  if (time < 0) return "before the first node";
  if (time >= plan.nodes) return "after the last node";
  const node = plan.byId.get(time);
  return `node ${grouped(time)}, ${node.name} (${node.op})`;
}

/** What there is to say of a tensor, as [term, text or tensors] in the order to be read. */
function factsOf(plan, tensor) {
  const facts = [];
  if (tensor.op) facts.push(["op", tensor.op]);
  facts.push(["type", tensor.layout.replace("[", " [")]);
  facts.push(["size", `${sizeText(tensor.size)} (${grouped(tensor.size)} bytes)`]);
  const panel = plan.panels[tensor.panel];
  if (panel) facts.push(["offset", `${grouped(tensor.offset)} in ${panelName(plan, panel)}`]);
  facts.push(["from", timeText(plan, tensor.from)]);
  facts.push(["until", timeText(plan, tensor.to)]);
  facts.push(["kind", KINDS[tensor.kind]]);
  if (tensor.inPlaceOf >= 0) facts.push(["in place of", [plan.byId.get(tensor.inPlaceOf)]]);
  if (tensor.takenOverBy) facts.push(["overwritten by", [tensor.takenOverBy]]);
  if (tensor.viewOf >= 0 && plan.byId.has(tensor.viewOf)) facts.push(["view of", [plan.byId.get(tensor.viewOf)]]);
  if (tensor.views.length > 0) facts.push([tensor.views.length === 1 ? "its view" : "its views", tensor.views]);
  return facts;
}

function panelName(plan, panel) {
  return panel.chunks > 1 ? `${panel.name}, chunk ${panel.chunk}` : panel.name;
}
