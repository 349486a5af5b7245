// Places a graph in layers, from the top to the bottom. Pure: the same graph always looks the same.
//
// After Sugiyama, Tagawa, and Toda (1981): turn the edges of cycles around, put each step one layer below the steps
// that lead to it, order each layer so that few edges cross, and move steps toward their neighbors.

export const size = { width: 184, height: 56, gapX: 36, gapY: 84, lane: 20, margin: 40 };
const sweeps = 6, moves = 6;

/**
 * @param {{start: string | null, nodes: {id: string, ways?: {id: string, to: string | null, returns: string[]}[]}[],
 *   edges: {id: string, from: string, to: string}[]}} graph
 * @returns {{nodes: Map<string, {x: number, y: number, layer: number}>, edges: Map<string, {points: number[][], row:
 *   number, isBack: boolean, isSelf: boolean}>, ports: Map<string, {x: number, y: number, row: number}>, width:
 *   number, height: number, crossings: number}} Centers of steps, the points that edges pass, and the places of
 *   outcomes without a next step.
 */
export function layout(graph) {
  const index = new Map(graph.nodes.map((node, number) => [node.id, number])), count = graph.nodes.length;
  if (!count)
    return { nodes: new Map(), edges: new Map(), ports: new Map(), width: 2 * size.margin,
      height: 2 * size.margin, crossings: 0 };
  const ways = graph.edges.map((edge) => ({ edge, from: index.get(edge.from), to: index.get(edge.to), isBack: false }))
    .filter((way) => way.from !== undefined && way.to !== undefined);
  const rank = turnCyclesAround(ways, count, index.get(graph.start) ?? 0);
  const layerOf = layers(ways, count, rank);
  const { rows, links } = insertBends(ways, layerOf, rank, count);
  const crossings = order(rows, links);
  const xs = coordinates(rows, links, count);
  return picture(graph, ways, layerOf, rows, xs, crossings);
}

/** Marks the edges that close a cycle, and returns the order in which a walk from the start meets the steps. */
function turnCyclesAround(ways, count, start) {
  const out = Array.from({ length: count }, () => []);
  for (const way of ways) if (way.from !== way.to) out[way.from].push(way);
  const state = new Uint8Array(count), rank = new Int32Array(count).fill(-1);
  let met = 0;
  const walk = (root) => {
    const stack = [{ node: root, next: 0 }];
    state[root] = 1;
    rank[root] = met++;
    while (stack.length) {
      const top = stack[stack.length - 1], way = out[top.node][top.next++];
      if (!way) { state[top.node] = 2; stack.pop(); continue; }
      if (state[way.to] === 1) way.isBack = true;
      else if (state[way.to] === 0) { state[way.to] = 1; rank[way.to] = met++; stack.push({ node: way.to, next: 0 }); }
    }
  };
  walk(start);
  for (let node = 0; node < count; node++) if (!state[node]) walk(node);
  return rank;
}

/** The longest way to each step gives its layer. */
function layers(ways, count, rank) {
  const layerOf = new Int32Array(count), degree = new Int32Array(count), out = Array.from({ length: count }, () => []);
  for (const way of ways) {
    if (way.from === way.to) continue;
    const [a, b] = way.isBack ? [way.to, way.from] : [way.from, way.to];
    out[a].push(b);
    degree[b]++;
  }
  const ready = [];
  for (let node = 0; node < count; node++) if (!degree[node]) ready.push(node);
  ready.sort((a, b) => rank[a] - rank[b]);
  for (let next = 0; next < ready.length; next++) {
    for (const other of out[ready[next]]) {
      layerOf[other] = Math.max(layerOf[other], layerOf[ready[next]] + 1);
      if (!--degree[other]) ready.push(other);
    }
  }
  return layerOf;
}

/**
 * Gives edges over several layers a bend in each layer between, as if it were a narrow step. Edges to the same step
 * share their bends, so that they run together: a rejection that every step may end in is one line.
 */
function insertBends(ways, layerOf, rank, count) {
  const rows = [],
    links = { up: Array.from({ length: count }, () => []), down: Array.from({ length: count }, () => []) };
  const place = (item, layer, key) => { (rows[layer] ??= []).push({ item, key }); };
  const shared = new Map();
  let next = count;
  const link = (upper, lower) => { links.down[upper].push(lower); links.up[lower].push(upper); };
  /** The bend of the edges to a step in a layer, and whether it is new. */
  const bendAt = (to, layer, isBack, key) => {
    const name = (to * 2 + Number(isBack)) * 100_000 + layer, known = shared.get(name);
    if (known !== undefined) return [known, false];
    const bend = next++;
    links.up[bend] = [];
    links.down[bend] = [];
    shared.set(name, bend);
    place(bend, layer, key);
    return [bend, true];
  };
  for (let node = 0; node < count; node++) place(node, layerOf[node], rank[node]);
  for (const way of ways) {
    way.bends = [];
    if (way.from === way.to) continue;
    const { from, to, isBack } = way, by = isBack ? -1 : 1, key = rank[from] + (rank[to] - rank[from]) / 2;
    let before = from, joined = false;
    for (let layer = layerOf[from] + by; layer !== layerOf[to]; layer += by) {
      const [bend, isNew] = bendAt(to, layer, isBack, key);
      way.bends.push(bend);
      if (!joined) { if (isBack) link(bend, before); else link(before, bend); }
      joined ||= !isNew;
      before = bend;
    }
    if (!joined) { if (isBack) link(to, before); else link(before, to); }
  }
  const sorted =
    Array.from(rows, (row) => (row ?? []).sort((a, b) => a.key - b.key || a.item - b.item).map(({ item }) => item));
  return { rows: sorted, links };
}

/**
 * Sorts each layer by the middle of its neighbors, down and up again, and keeps the order with the fewest
 * crossings.
 */
function order(rows, links) {
  const position = [];
  const number = (row) => row.forEach((item, at) => { position[item] = at; });
  rows.forEach(number);
  let best = rows.map((row) => [...row]), fewest = allCrossings(rows, links, position);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0, side = isDown ? links.up : links.down;
    for (let step = 1; step < rows.length; step++) {
      const row = rows[isDown ? step : rows.length - 1 - step];
      const keys = new Map(row.map((item, at) => [item, middle(side[item], position) ?? at]));
      row.sort((a, b) => keys.get(a) - keys.get(b) || position[a] - position[b]);
      number(row);
    }
    swapNeighbors(rows, links, position);
    const found = allCrossings(rows, links, position);
    if (found < fewest) { fewest = found; best = rows.map((row) => [...row]); }
  }
  best.forEach((row, layer) => { rows[layer] = row; });
  return fewest;
}

function middle(neighbors, position) {
  if (!neighbors.length) return null;
  const all = neighbors.map((item) => position[item]).sort((a, b) => a - b), half = all.length >> 1;
  return all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

function swapNeighbors(rows, links, position) {
  for (const row of rows) {
    for (let at = 0; at + 1 < row.length; at++) {
      const [a, b] = [row[at], row[at + 1]];
      const now = between(links.up[a], links.up[b], position) + between(links.down[a], links.down[b], position);
      if (!now) continue;
      const then = between(links.up[b], links.up[a], position) + between(links.down[b], links.down[a], position);
      if (then < now) { row[at] = b; row[at + 1] = a; position[b] = at; position[a] = at + 1; }
    }
  }
}

/** The crossings of the edges of two items when the first is on the left. */
function between(left, right, position) {
  let count = 0;
  for (const a of left) for (const b of right) if (position[a] > position[b]) count++;
  return count;
}

function allCrossings(rows, links, position) {
  let count = 0;
  for (const row of rows) {
    const ends = [];
    for (const item of row) ends.push(...links.down[item].map((other) => position[other]).sort((a, b) => a - b));
    // Insertion into a sorted list counts the ends that are already to the right.
    const sorted = [];
    for (const end of ends) {
      let low = 0, high = sorted.length;
      while (low < high) { const half = (low + high) >> 1; if (sorted[half] > end) high = half; else low = half + 1; }
      count += sorted.length - low;
      sorted.splice(low, 0, end);
    }
  }
  return count;
}

/** Moves items toward the middle of their neighbors without changing the order of a layer. */
function coordinates(rows, links, count) {
  const xs = [], half = (item) => item < count ? size.width / 2 : size.lane / 2;
  const gap = (a, b) => half(a) + half(b) + (a < count && b < count ? size.gapX : size.lane);
  for (const row of rows) {
    let x = 0;
    row.forEach((item, at) => { x += at ? gap(row[at - 1], item) : half(item); xs[item] = x; });
    const shift = x / 2;
    for (const item of row) xs[item] -= shift;
  }
  for (let move = 0; move < moves; move++) {
    const isDown = move % 2 === 0;
    for (let step = 0; step < rows.length; step++) {
      const row = rows[isDown ? step : rows.length - 1 - step];
      const wanted = row.map((item) => {
        const near = move < moves - 2
          ? (isDown ? links.up[item] : links.down[item]) : [...links.up[item], ...links.down[item]];
        return near.length ? near.reduce((sum, other) => sum + xs[other], 0) / near.length : xs[item];
      });
      spread(row, wanted, gap, xs);
    }
  }
  return xs;
}

/**
 * The places nearest to the wanted ones that keep the gaps: neighbors that collide move together (Dwyer et
 * al. 2006).
 */
function spread(row, wanted, gap, xs) {
  const blocks = [];
  row.forEach((item, at) => {
    const offset = at ? gap(row[at - 1], item) : 0;
    let block = { first: at, sum: wanted[at], count: 1, width: 0 };
    block.offset = offset;
    while (blocks.length) {
      const before = blocks[blocks.length - 1];
      if (block.sum / block.count >= before.sum / before.count + before.width + block.offset) break;
      const shift = before.width + block.offset;
      block = { first: before.first, sum: before.sum + block.sum - shift * block.count,
        count: before.count + block.count, width: shift + block.width, offset: before.offset };
      blocks.pop();
    }
    blocks.push(block);
  });
  for (const block of blocks) {
    let x = block.sum / block.count;
    for (let at = block.first; at < block.first + block.count; at++) {
      if (at > block.first) x += gap(row[at - 1], row[at]);
      xs[row[at]] = x;
    }
  }
}

/** The points of steps and edges. */
function picture(graph, ways, layerOf, rows, xs, crossings) {
  const depth = rows.map((_, layer) => size.margin + size.height / 2 + layer * (size.height + size.gapY));
  const layerOfBend = [];
  rows.forEach((row, layer) => row.forEach((item) => { layerOfBend[item] = layer; }));
  const left = Math.min(...xs.filter((x) => x !== undefined)) - size.width / 2 - size.margin;
  const place = (item) => [Math.round(xs[item] - left), depth[layerOfBend[item]]];
  const nodes = new Map(graph.nodes.map((node, number) => {
    const [x, y] = place(number);
    return [node.id, { x, y, layer: layerOf[number] }];
  }));
  // Edges leave and reach a step side by side, in the order of the steps at their other ends.
  const leaving = new Map(), reaching = new Map();
  const note = (map, item, way, x) => { if (!map.has(item)) map.set(item, []); map.get(item).push({ way, x }); };
  for (const way of ways) {
    if (way.from === way.to) continue;
    const first = way.bends[0] ?? way.to, last = way.bends.at(-1) ?? way.from;
    note(way.isBack ? reaching : leaving, way.from, way, xs[first]);
    note(way.isBack ? leaving : reaching, way.to, way, xs[last]);
  }
  // Outcomes without a next step have a place of their own.
  const open = graph.nodes.flatMap((node, number) => (node.ways ?? []).filter((way) => !way.to && !way.returns.length)
    .map((way) => ({ edge: { id: `${node.id} ${way.id}` }, item: number })));
  for (const way of open) note(leaving, way.item, way, xs[way.item]);
  const shift = (map, item, way) => {
    const all = map.get(item).sort((a, b) => a.x - b.x || (a.way.edge.id < b.way.edge.id ? -1 : 1));
    const width = Math.min(size.width - 32, (all.length - 1) * 44), number = all.findIndex((one) => one.way === way);
    way.row = number % 2;
    return all.length === 1 ? 0 : -width / 2 + (width * number) / (all.length - 1);
  };
  const edges = new Map();
  for (const way of ways) {
    const [fromX, fromY] = place(way.from), [toX, toY] = place(way.to);
    let points;
    if (way.from === way.to) {
      const side = fromX + size.width / 2;
      points = [[side, fromY - 10], [side + 26, fromY - 10], [side + 26, fromY + 10], [side, fromY + 10]];
    } else if (way.isBack) {
      // From the top of the lower step, through the layers between, to the bottom of the upper one.
      points = [[fromX + shift(reaching, way.from, way), fromY - size.height / 2], ...way.bends.map(place),
        [toX + shift(leaving, way.to, way), toY + size.height / 2]];
    } else {
      points = [[fromX + shift(leaving, way.from, way), fromY + size.height / 2], ...way.bends.map(place),
        [toX + shift(reaching, way.to, way), toY - size.height / 2]];
    }
    // Neighboring outcomes are written in two rows. The number at the step that the edge leaves counts.
    if (!way.isBack && way.from !== way.to) shift(leaving, way.from, way);
    edges.set(way.edge.id, { row: way.row ?? 0, points: points.map(([x, y]) => [Math.round(x), Math.round(y)]),
      isBack: way.isBack, isSelf: way.from === way.to });
  }
  const ports = new Map(open.map((way) => {
    const [x, y] = place(way.item);
    return [way.edge.id, { x: Math.round(x + shift(leaving, way.item, way)), y: y + size.height / 2, row: way.row }];
  }));
  const right = Math.max(...xs.filter((x) => x !== undefined));
  return { nodes, edges, ports, width: Math.round(right - left + size.width / 2 + size.margin),
    height: Math.round(depth.at(-1) + size.height / 2 + size.margin), crossings };
}

/** The curve of an edge, as the `d` of an SVG path. */
export function curve({ points, isSelf }) {
  const [start, ...rest] = points;
  if (isSelf) return `M${start} L${rest.map(String).join(" L")}`;
  let path = `M${start[0]} ${start[1]}`, [x, y] = start;
  for (const [nextX, nextY] of rest) {
    const bend = (nextY - y) / 2;
    path += ` C${x} ${y + bend} ${nextX} ${nextY - bend} ${nextX} ${nextY}`;
    [x, y] = [nextX, nextY];
  }
  return path;
}
