package import Hummingbird
internal import MienAPI
package import MienCore
internal import MienJourney

/// The routes of the admin API for editors of journeys. They answer questions about a definition
/// that the request sends, and store nothing.
package struct JourneyEditorRoutes {
    /// The size of a definition with a world and answers.
    static let maxBytes = 1024 * 1024
    /// The time of one simulation.
    static let maxSimulation = Duration.seconds(5)

    let checksDocuments: Bool
    let body: JSONBody
    /// A definition can be made so that following its paths takes a second.
    let work: WorkQueue

    /// - Parameter checksDocuments: Whether this server checks documents.
    package init(checksDocuments: Bool, budget: BodyBudget, limits: WorkLimits) {
        self.checksDocuments = checksDocuments
        body = JSONBody(maxBytes: Self.maxBytes, budget: budget)
        work = WorkQueue("mien.journey", workers: 1, limits: limits)
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("journeys/steps") { _, _ in JSONBody.response(json: Self.steps) }
        router.post("journeys/check") { request, context in
            let draft = try await body.read(
                CheckJourneyRequest.self, CheckJourneyRequest.CodingKeys.self, from: request)
            return JSONBody.response(
                try await work.run(for: .administrator(context)) {
                    CheckJourneyAnswer(
                        JourneyDraft(draft.definition, checksDocuments: checksDocuments))
                })
        }
        router.post("journeys/code") { request, context in
            let wanted = try await body.read(
                JourneyCodeRequest.self, JourneyCodeRequest.CodingKeys.self, from: request)
            return JSONBody.response(
                try await work.run(for: .administrator(context)) { try Self.code(wanted) })
        }
        router.post("journeys/simulate") { request, context in
            let wanted = try await body.parse(request)
            guard case .object = wanted else {
                throw Problem(.invalidRequest, "The body is \(wanted.kind), not an object.")
            }
            return JSONBody.response(
                try await work.run(for: .administrator(context)) { try Self.rehearsal(wanted) })
        }
    }

    /// The types never change while the server runs.
    private static let steps = JSONBody.bytes(
        of: JourneyStepTypesAnswer(
            items: StepCatalog.entries.map(JourneyStepTypeAnswer.init),
            definitions: JourneySchema.definitions))

    private static func code(_ wanted: JourneyCodeRequest) throws -> JourneyCodeAnswer {
        let definition: JourneyDefinition
        do throws(JourneyDefinitionError) {
            definition = try JourneyDefinition(wanted.definition)
        } catch { throw Problem(error, in: "definition") }
        guard let id = StepID(wanted.step), let step = definition.steps[id] else {
            throw Problem(
                .invalidRequest, errors: [.init(field: "step", message: "names no step")])
        }
        guard step.isClientFacing else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "step",
                        message:
                            "names a step that never asks the client, so that no client code answers it"
                    )
                ])
        }
        return JourneyCodeAnswer(
            swift: SwiftClientCode.source(of: definition, step: id),
            typescript: TypeScriptClientCode.source(of: definition, step: id))
    }

    private static func rehearsal(_ wanted: JSONValue) throws -> SimulateJourneyAnswer {
        let end = ContinuousClock.now + maxSimulation
        do throws(JourneyDefinitionError) {
            return SimulateJourneyAnswer(
                try JourneyRehearsal(wanted) { ContinuousClock.now >= end })
        } catch { throw Problem(error, in: "") }
    }
}

extension Problem {
    /// - Parameter member: The member of the body to which the error's path is relative.
    fileprivate init(_ error: JourneyDefinitionError, in member: String) {
        let path = [member, error.path].filter { !$0.isEmpty }.joined(separator: ".")
        self.init(.invalidRequest, errors: [.init(field: path, message: error.reason)])
    }
}
