package import MienCore
package import MienModels

/// Where servers get the engines of their model packs. Each server makes its own; tests start hundreds of
/// servers in one process, and give them the engines of former ones.
package struct EngineSource: Sendable {
    /// Parameters of an engine. Engines with equal ones are interchangeable.
    package struct Specification: Sendable, Hashable {
        package var workers: Int
        package var options: NetworkOptions
        package var variant: PackVariant?
        package var looksForAttacks = false
        /// Whether all networks are compiled at once, not when they are first needed.
        package var compilingAll = false
        package var limits: WorkLimits
    }

    package typealias Make =
        @Sendable (_ pack: ModelPack, _ specification: Specification) throws -> FaceEngine

    package let make: Make

    package init(_ make: @escaping Make) { self.make = make }

    /// Makes a new engine for each server.
    package static let own = EngineSource { pack, specification in
        try FaceEngine(
            pack: pack, workers: specification.workers, options: specification.options,
            variant: specification.variant, looksForAttacks: specification.looksForAttacks,
            compilingAll: specification.compilingAll, limits: specification.limits)
    }
}
