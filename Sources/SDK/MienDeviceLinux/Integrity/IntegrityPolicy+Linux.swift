public import MienDevice

extension IntegrityPolicy {
    /// Refuses debuggers and foreign libraries.
    public static let strict = IntegrityPolicy(refusing: [.debugger, .preload])

    /// Refuses signs that ``ProcessIntegrity/inspect()`` finds.
    public init(refusing refused: Set<IntegritySignal>) {
        self.init(refusing: refused, inspect: { ProcessIntegrity.inspect() })
    }
}
