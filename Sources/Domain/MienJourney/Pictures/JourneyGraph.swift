/// Draws a journey as a graph in the Graphviz or Mermaid language.
public enum JourneyGraph {
    /// Returns the graph for Graphviz: `mien journey show --dot FILE | dot -Tsvg`.
    public static func dot(_ definition: JourneyDefinition) -> String {
        let (steps, ways) = parts(definition)
        var lines = [
            "digraph journey {",
            "  label=\"\(escaped(definition.title))\"; labelloc=t; rankdir=TB;",
            "  node [fontname=\"sans-serif\", shape=box];",
            "  edge [fontname=\"sans-serif\", fontsize=10];", "  start [shape=point];",
        ]
        for step in steps {
            lines.append("  \"\(step.id)\" [label=\"\(escaped(step.words))\"\(dotStyle(step))];")
        }
        if definition.steps[definition.start] != nil {
            lines.append("  start -> \"\(definition.start)\";")
        }
        for way in ways {
            lines.append(
                "  \"\(way.from)\" -> \"\(way.to)\" [label=\"\(way.outcome)\"\(way.isBack ? ", style=dashed" : "")];"
            )
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    /// Returns the graph for Mermaid, which documentation sites and code hosts render.
    public static func mermaid(_ definition: JourneyDefinition) -> String {
        let (steps, ways) = parts(definition)
        let names = Dictionary(
            uniqueKeysWithValues: steps.enumerated().map { ($0.element.id, "s\($0.offset)") })
        var lines = ["flowchart TD", "  start((start))"]
        for step in steps { lines.append("  \(names[step.id] ?? "")\(mermaidShape(step))") }
        if let start = names[definition.start] { lines.append("  start --> \(start)") }
        for way in ways {
            guard let from = names[way.from], let to = names[way.to] else { continue }
            lines.append("  \(from) \(way.isBack ? "-.->" : "-->")|\(way.outcome)| \(to)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private struct Way {
        let from: StepID, outcome: Outcome, to: StepID
        /// Whether the edge returns to a loop because the outcome has no next step.
        let isBack: Bool
    }

    private static func parts(_ definition: JourneyDefinition) -> ([StepDefinition], [Way]) {
        let steps = definition.steps.values.sorted { $0.id < $1.id }
        let drawn = steps.flatMap { step in
            step.on.filter { definition.steps[$0.value] != nil }.map {
                Way(from: step.id, outcome: $0.key, to: $0.value, isBack: false)
            }
        }
        let back = JourneyFlow(definition).edges.filter {
            definition.steps[$0.from]?.on[$0.outcome] == nil
        }.map {
            Way(from: $0.from, outcome: $0.outcome, to: $0.to, isBack: true)
        }
        return (
            steps,
            (drawn + back).sorted { ($0.from, $0.outcome, $0.to) < ($1.from, $1.outcome, $1.to) }
        )
    }

    private static func dotStyle(_ step: StepDefinition) -> String {
        switch (step.step.facts.end, step.type) {
        case (.complete, _): ", shape=doublecircle"
        case (.reject, _): ", shape=octagon"
        case (nil, .condition): ", shape=diamond"
        case (nil, .loop): ", shape=hexagon"
        case (nil, _): step.isClientFacing ? ", style=rounded" : ""
        }
    }

    private static func mermaidShape(_ step: StepDefinition) -> String {
        let words =
            "\"" + step.words.replacing("\"", with: "#quot;").replacing("\n", with: "<br/>") + "\""
        return switch (step.step.facts.end, step.type) {
        case (.complete, _): "(((\(words))))"
        case (.reject, _): "[[\(words)]]"
        case (nil, .condition): "{\(words)}"
        case (nil, .loop): "{{\(words)}}"
        case (nil, _): step.isClientFacing ? "([\(words)])" : "[\(words)]"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
            "\n", with: "\\n")
    }
}

extension StepDefinition {
    /// The step's label or name, and its type.
    fileprivate var words: String { "\(label ?? id.text)\n\(type.rawValue)" }
}
