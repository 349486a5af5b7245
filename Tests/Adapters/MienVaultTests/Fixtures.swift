import Foundation
import MienCore
import MienFace
import MienVault
import Synchronization

/// Returns an artificial template that depends on `seed` and is not a face.
func madeUpTemplate(seed: Int, entries: Int = 1, dimensions: Int = 8) throws -> FaceTemplate {
    let made = try (0..<entries).map { entry in
        let raw = (0..<dimensions).map {
            Float(($0 * 37 + 11) % 257 + ($0 * 53 + (seed * 8 + entry) * 101) % 127)
        }
        return try FaceTemplate.Entry(
            descriptor: FaceDescriptor(normalizing: raw), quality: 80, pose: .frontal)
    }
    return try FaceTemplate(
        entries: made, packID: PackID("made-up"), createdAt: Instant(milliseconds: Int64(seed)))
}

extension RandomSource {
    /// Returns bytes that never repeat and are the same in every run.
    static func counting() -> RandomSource {
        let calls = Counter()
        return RandomSource { count in
            let call = calls.next()
            return (0..<count).map {
                $0 < 8 ? UInt8(truncatingIfNeeded: call >> (8 * UInt64($0))) : UInt8($0)
            }
        }
    }
}

private final class Counter: Sendable {
    private let value = Mutex<UInt64>(0)

    func next() -> UInt64 {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// Runs `body` with a new folder on the real disk, removed afterwards.
func withTemporaryFolder<T>(_ body: (String) async throws -> T) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "mien-vault-\(UUID().uuidString)"
    ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

func mode(of path: String) throws -> Int {
    let value =
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    return value?.intValue ?? -1
}

func contents(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

func put(_ bytes: [UInt8], at path: String, mode: Int = 0o600) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

func bytes(hex: String) -> [UInt8] {
    let digits = hex.utf8.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

let ana = try! PersonName("Ana"), bruno = try! PersonName("Bruno")
