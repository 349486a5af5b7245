import Foundation
import MienModels
import Synchronization

/// The networks of installed packs in this process. Tests share them, because compiling them takes
/// seconds.
enum TestEngines {
    private struct Key: Hashable, Sendable {
        let pack: String, looksForAttacks: Bool
    }

    private static let kept = Mutex<[Key: FaceEngine]>([:])

    static func engine(_ pack: URL, looksForAttacks: Bool = false) throws -> FaceEngine {
        try kept.withLock { kept in
            let key = Key(pack: pack.path, looksForAttacks: looksForAttacks)
            if let engine = kept[key] { return engine }
            let engine = try FaceEngine(
                pack: ModelPack(folder: pack), looksForAttacks: looksForAttacks)
            kept[key] = engine
            return engine
        }
    }
}
