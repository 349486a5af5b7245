import MienCore
import MienFace

/// Returns a synthetic unit vector, by the formula of `Vectors/PROVENANCE.md`. It belongs to no
/// face.
func madeUpDescriptor(dimensions: Int = 128, seed: Int = 0) throws -> FaceDescriptor {
    let raw = (0..<dimensions).map { i in
        Double(8 * ((i * 37 + 11) % 257 - 128) + (i * 53 + seed * 101) % 127 - 63)
    }
    let norm = raw.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return try FaceDescriptor(raw.map { Float($0 / norm) })
}

func madeUpTemplate(entries: Int = 2, dimensions: Int = 128) throws -> FaceTemplate {
    try FaceTemplate(
        entries: (0..<entries).map { i in
            try .init(
                descriptor: madeUpDescriptor(dimensions: dimensions, seed: i),
                quality: UInt8(50 + i), pose: .frontal)
        },
        packID: PackID("made-up"), createdAt: Instant(milliseconds: 1_700_000_000_000))
}
