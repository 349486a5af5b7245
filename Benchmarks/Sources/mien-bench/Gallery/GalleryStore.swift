import Foundation
import MienAPI
import MienCore
import MienFace
import MienLoad
import MienStore
import MienTesting
import MienVault

/// A store with invented people, each of whom has a face of random direction.
struct GalleryStore {
    static let app = AppID("app_gallery")!
    private static let batch = 1000

    let folder: URL
    let faces: Int
    let pack: PackID
    let matcher: FaceMatcher
    let store: Store
    private let driver: SQLiteDriver

    /// - Parameter progress: Receives the number of faces that are stored.
    init(faces: Int, pack: PackID, matcher: FaceMatcher, _ progress: (Int) -> Void) async throws {
        (self.faces, self.pack, self.matcher) = (faces, pack, matcher)
        folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-bench-gallery-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let ring = try KeyFile(path: folder.appending(path: "master.key").path)
            .loadOrCreateRing(sealedRecordsExist: false)
        driver = try SQLiteDriver(path: folder.appending(path: "mien.sqlite").path)
        store = try await Store(driver, keys: StoreKeys(ring))
        for first in stride(from: 0, to: faces, by: Self.batch) {
            let last = min(faces, first + Self.batch)
            try await add(first..<last)
            progress(last)
        }
    }

    func remove() {
        try? driver.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Registers invented people.
    ///
    /// - Parameter numbers: Seeds of their faces.
    func add(_ numbers: Range<Int>) async throws {
        // Everything but the writing is done outside of the transaction.
        let people = try numbers.map { number in
            var random = SystemRandomNumberGenerator()
            let account = AccountRecord.new(
                .random(using: &random), AccountProfile(), keys: store.keys, at: Self.time)
            let face = AuthenticatorRecord(
                id: .random(using: &random), account: account.record.id, type: .face, app: Self.app,
                content: try template(number).bytes, info: ["pack": .string(pack.text)],
                createdAt: Self.time)
            return (account, face)
        }
        try await store.write(.process) { tables in
            for (account, face) in people {
                try tables.accounts.insert(account, names: [])
                try tables.authenticators.insert(face, of: account.record)
            }
        }
    }

    private static let time = Instant(milliseconds: 1_700_000_000_000)

    func template(_ number: Int) throws -> FaceTemplate {
        var random = SeededGenerator(seed: UInt64(number) &* 0x9e37_79b9_7f4a_7c15)
        // The sum of the four halves of two words is close enough to a normal distribution for its
        // direction to be uniform.
        let values = (0..<matcher.dimension).map { _ -> Float in
            let word = random.next()
            return Float(
                Int(word & 0xffff) + Int(word >> 16 & 0xffff) + Int(word >> 32 & 0xffff)
                    + Int(word >> 48) - 131_070)
        }
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return try FaceTemplate(
            entries: [
                .init(
                    descriptor: FaceDescriptor(values.map { $0 / length }), quality: 90,
                    pose: .frontal)
            ], packID: pack, createdAt: Self.time)
    }
}
