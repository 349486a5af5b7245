/// A value that must never be printed: an image, a descriptor, a name, a token.
public struct Sensitive<Value: Sendable>: Sendable {
    private let value: Value

    public init(_ value: Value) { self.value = value }

    /// Calls `body` with the value. The result of `body` is not protected: return a decision, not
    /// the value.
    public func use<T, E: Error>(_ body: (Value) throws(E) -> T) throws(E) -> T { try body(value) }
}

extension Sensitive: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sensitive: Equatable where Value: Equatable {}
extension Sensitive: Hashable where Value: Hashable {}
