internal import MienPixels

/// Why bytes did not become an image. Branch on ``code``; show `description` to the sender. Neither
/// holds any of the bytes.
public enum ImageError: Error, Sendable, Equatable {
    /// There are no bytes.
    case empty
    /// The bytes end before the picture does.
    case truncated(ImageFormat)
    /// Neither PNG, JPEG nor GIF, or a rare kind of one; the words say what was seen.
    case unsupportedType(String)
    /// The bytes break the rules of their format.
    case corrupt(ImageFormat)
    case tooManyBytes(count: Int, limit: Int)
    /// By the header, before any decoding.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// A side is 0 or over the most an `RGBImage` has.
    case sides(width: Int, height: Int)
    /// Small, but built to take long: more scans or working memory than any camera or editor
    /// writes.
    case tooComplex(ImageFormat)

    /// Stable words: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case empty = "image.empty"
        case truncated = "image.truncated"
        case unsupportedType = "image.unsupported-type"
        case corrupt = "image.corrupt"
        case tooManyBytes = "image.too-many-bytes"
        case tooManyPixels = "image.too-many-pixels"
        case sides = "image.sides"
        case tooComplex = "image.too-complex"
    }

    public var code: Code {
        switch self {
        case .empty: .empty
        case .truncated: .truncated
        case .unsupportedType: .unsupportedType
        case .corrupt: .corrupt
        case .tooManyBytes: .tooManyBytes
        case .tooManyPixels: .tooManyPixels
        case .sides: .sides
        case .tooComplex: .tooComplex
        }
    }
}

extension ImageError: CustomStringConvertible {
    /// What was wrong, what is allowed, what to do.
    public var description: String {
        switch self {
        case .empty:
            "There is no picture: it has 0 bytes. Send a PNG, JPEG or GIF file."
        case .truncated(let format):
            "The \(format.name) ends before the picture does. It was probably cut off on its way: send the whole file again."
        case .unsupportedType(let seen):
            "This is \(seen), not a picture that can be read. Send a PNG, JPEG or GIF file."
        case .corrupt(let format):
            "The \(format.name) is damaged and cannot be read. Save or take the picture again."
        case .tooManyBytes(let count, let limit):
            "The picture has \(grouped(count)) bytes, over the limit of \(grouped(limit)). Save it smaller or compress it more."
        case .tooManyPixels(let width, let height, let limit):
            "The picture has \(grouped(width)) × \(grouped(height)) pixels, over the limit of \(grouped(limit)) in all. Scale it down."
        case .sides(let width, let height):
            "The picture has \(grouped(width)) × \(grouped(height)) pixels; each side must have 1 to "
                + "\(grouped(RGBImage.sideRange.upperBound)). Scale or crop it."
        case .tooComplex(let format):
            "The \(format.name) takes far more work to decode than its size allows. Save it again as a plain PNG or JPEG."
        }
    }
}

/// 1234567 → "1,234,567".
private func grouped(_ number: Int) -> String {
    var digits = String(number)[...], groups: [Substring] = []
    while digits.count > 3 {
        groups.append(digits.suffix(3))
        digits = digits.dropLast(3)
    }
    return ([digits] + groups.reversed()).joined(separator: ",")
}
