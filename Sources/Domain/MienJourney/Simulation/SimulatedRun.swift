import MienCore

/// A run in a simulated world, up to its next prompt or end.
struct SimulatedRun {
    let definition: JourneyDefinition
    var world: SimulatedWorld
    var now = Instant(seconds: 1_700_000_000)
    private(set) var instance: JourneyInstance

    init(_ definition: JourneyDefinition, in world: SimulatedWorld) {
        (self.definition, self.world) = (definition, world)
        guard let id = InstanceID("run_1"), let app = AppID("app_1") else {
            preconditionFailure("the constants are valid identifiers")
        }
        instance = JourneyInstance(id: id, of: definition, app: app, at: now)
    }

    /// Starts the run.
    ///
    /// - Parameter user: The name of the user who is signed in.
    mutating func start(
        _ parameters: JSONValue, user: String?, isInterrupted: @escaping () -> Bool = { false },
        note: (JourneyInstance.Transition) -> Void
    ) throws(JourneyClientError) -> JourneyDecision {
        let user = user.flatMap { world.user($0) }.map {
            JourneyUser(id: $0.id, level: .authenticated, amr: ["pwd"])
        }
        return try handle(
            .start(parameters: parameters, user: user), isInterrupted: isInterrupted, note: note)
    }

    /// Handles an event, and the effects that follow, up to the next prompt or the end.
    ///
    /// - Parameter note: Called with each step that the run leaves.
    mutating func handle(
        _ event: JourneyEvent, isInterrupted: @escaping () -> Bool = { false },
        note: (JourneyInstance.Transition) -> Void
    ) throws(JourneyClientError) -> JourneyDecision {
        var event = event
        while true {
            let decision = try instance.handle(
                event, in: definition, at: now, isInterrupted: isInterrupted)
            instance.transitions.forEach(note)
            // A sign-up whose name is taken never completes.
            if case .complete(let completion) = decision, let user = completion.user,
                !world.completes(user.id)
            {
                return .reject(
                    Rejection(
                        cause: .failed, step: nil, reason: StepErrorCode.invalidCredentials.rawValue
                    ))
            }
            guard case .perform(let effect) = decision else { return decision }
            event = .performed(effect.result(world.perform(effect.work, at: now)))
        }
    }
}
