import MienCore

/// The paths an expression reads, and those known to exist when it is true or false. A path is `a`
/// or `a.b`; deeper members are ignored.
extension JourneyExpression {
    /// Paths without which the expression may have no value, excluding paths guarded by `has()`.
    var requiredPaths: [String] {
        var paths: [String] = []
        Self.collect(root, present: [], &paths)
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }

    /// Returns the paths that exist when the expression has this value.
    func presentPaths(whenValueIs value: Bool) -> Set<String> { Self.present(root, value) }

    private static func collect(
        _ node: ExpressionNode, present: Set<String>, _ paths: inout [String]
    ) {
        if let path = path(of: node) {
            if !present.contains(path) { paths.append(path) }
            return
        }
        switch node.kind {
        case .literal, .variable, .has(nil, _): break
        case .member(let base, _), .not(let base), .minus(let base), .has(.some(let base), _):
            collect(base, present: present, &paths)
        case .index(let base, let index):
            collect(base, present: present, &paths)
            collect(index, present: present, &paths)
        // Either side can decide alone, so each side guards the other.
        case .and(let left, let right):
            collect(left, present: present.union(self.present(right, true)), &paths)
            collect(right, present: present.union(self.present(left, true)), &paths)
        case .or(let left, let right):
            collect(left, present: present.union(self.present(right, false)), &paths)
            collect(right, present: present.union(self.present(left, false)), &paths)
        case .binary(_, let left, let right):
            collect(left, present: present, &paths)
            collect(right, present: present, &paths)
        case .conditional(let condition, let yes, let no):
            collect(condition, present: present, &paths)
            collect(yes, present: present.union(self.present(condition, true)), &paths)
            collect(no, present: present.union(self.present(condition, false)), &paths)
        case .list(let nodes), .call(_, let nodes):
            for node in nodes { collect(node, present: present, &paths) }
        case .map(let entries):
            for entry in entries {
                collect(entry.key, present: present, &paths)
                collect(entry.value, present: present, &paths)
            }
        }
    }

    private static func path(of node: ExpressionNode) -> String? {
        switch node.kind {
        case .variable(let name): return name
        case .member(let base, let name):
            guard case .variable(let variable) = base.kind else { return nil }
            return "\(variable).\(name)"
        case .index(let base, let index):
            guard case .variable(let variable) = base.kind,
                case .literal(.string(let name)) = index.kind
            else { return nil }
            return "\(variable).\(name)"
        case .literal, .not, .minus, .and, .or, .binary, .conditional, .list, .map, .has, .call:
            return nil
        }
    }

    private static func present(_ node: ExpressionNode, _ value: Bool) -> Set<String> {
        switch node.kind {
        case .has(nil, let name): return value ? [name] : []
        case .has(.some(let base), let name):
            guard value, case .variable(let variable) = base.kind else { return [] }
            return [variable, "\(variable).\(name)"]
        case .not(let operand): return present(operand, !value)
        case .and(let left, let right):
            return value ? present(left, true).union(present(right, true)) : []
        case .or(let left, let right):
            return value ? [] : present(left, false).union(present(right, false))
        case .literal, .variable, .member, .index, .minus, .binary, .conditional, .list, .map,
            .call:
            return []
        }
    }
}
