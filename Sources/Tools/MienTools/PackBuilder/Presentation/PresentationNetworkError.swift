/// The reason that tensors are not a MiniFASNet network.
public enum PresentationNetworkError: Error, Equatable, Sendable {
    /// A tensor that the network needs is not in the file.
    case missing(String)
    /// A tensor has another shape; −1 stands for any size.
    case shape(String, expected: [Int], found: [Int])
    /// A batch normalization has a negative variance.
    case variance(String)
    /// The file contains a tensor that the network does not have.
    case unused(String)
    /// The number of files is not 1...4.
    case count(Int)
}

extension PresentationNetworkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let name): "the network has no tensor “\(name)”"
        case .shape(let name, let expected, let found):
            "the tensor “\(name)” has the shape \(found) instead of \(expected)"
        case .variance(let name): "the tensor “\(name)” contains a negative variance"
        case .unused(let name): "the network has an unknown tensor “\(Self.plain(name))”"
        case .count(let count): "1 to 4 networks can be combined, not \(count)"
        }
    }

    /// The name in the file, which may contain anything, as printable text.
    private static func plain(_ name: String) -> String {
        String(
            String.UnicodeScalarView(name.unicodeScalars.filter { (32..<127).contains($0.value) }))
    }
}
