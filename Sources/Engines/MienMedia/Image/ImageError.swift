internal import MienFace

/// The reason that bytes could not be decoded as an image. Branch on ``code``; show `description`
/// to the sender. Neither contains any of the bytes.
public enum ImageError: Error, Sendable, Equatable {
    /// The input is empty.
    case empty
    /// The bytes end before the picture is complete.
    case truncated(ImageFormat)
    /// Not a PNG, JPEG, or GIF, or an unsupported variant. The text names the detected type.
    case unsupportedType(String)
    /// The bytes violate their format.
    case corrupt(ImageFormat)
    case tooManyBytes(count: Int, limit: Int)
    /// The pixel count from the header, checked before any decoding.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// A side is 0 or larger than `RGBImage` allows.
    case sides(width: Int, height: Int)
    /// The file is small but expensive to decode: it needs more scans or working memory than the
    /// files of any camera or editor.
    case tooComplex(ImageFormat)

    /// Stable codes: logged, counted, documented, and never reused for another meaning.
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
    /// Describes the error, the limit, and the remedy.
    public var description: String {
        switch self {
        case .empty:
            "The picture is empty (0 bytes). Send a PNG, JPEG, or GIF file."
        case .truncated(let format):
            "The \(format.name) is incomplete. It was probably cut off in transit. Send the whole file again."
        case .unsupportedType(let seen):
            "This is \(seen), which is not supported. Send a PNG, JPEG, or GIF file."
        case .corrupt(let format):
            "The \(format.name) is damaged and cannot be read. Save or take the picture again."
        case .tooManyBytes(let count, let limit):
            "The picture has \(grouped(count)) bytes, over the limit of \(grouped(limit)). Reduce its size or compress it more."
        case .tooManyPixels(let width, let height, let limit):
            "The picture has \(grouped(width)) × \(grouped(height)) pixels, over the total limit of \(grouped(limit)). Scale it down."
        case .sides(let width, let height):
            "The picture has \(grouped(width)) × \(grouped(height)) pixels; each side must have 1 to "
                + "\(grouped(RGBImage.sideRange.upperBound)). Scale or crop it."
        case .tooComplex(let format):
            "The \(format.name) needs far more work to decode than its size allows. Save it again as a plain PNG or JPEG."
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
