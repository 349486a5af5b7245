import MienCore
import MienFace
import MienVault

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

let ana = try! PersonName("Ana"), bruno = try! PersonName("Bruno")
